/** @module Finds the places nearest to a country. */

/**
 * A location in each country, in degrees north and east: the main city of its time zone (zone.tab
 * of the IANA database, public domain), or of its most populous time zone.
 */
const PLACES = `
AD+42+2 AE+25+55 AF+35+69 AG+17-62 AI+18-63 AL+41+20 AM+40+44 AO-9+13 AQ-78+167 AR-35-58
AS-14-171 AT+48+16 AU-34+151 AW+12-70 AX+60+20 AZ+40+50 BA+44+18 BB+13-60 BD+24+90 BE+51+4
BF+12-2 BG+43+23 BH+26+51 BI-3+29 BJ+6+3 BL+18-63 BM+32-65 BN+5+115 BO-16-68 BQ+12-68 BR-24-47
BS+25-77 BT+27+90 BW-25+26 BY+54+28 BZ+18-88 CA+44-79 CC-12+97 CD-4+15 CF+4+19 CG-4+15 CH+47+9
CI+5-4 CK-21-160 CL-33-71 CM+4+10 CN+31+121 CO+5-74 CR+10-84 CU+23-82 CV+15-24 CW+12-69
CX-10+106 CY+35+33 CZ+50+14 DE+52+13 DJ+12+43 DK+56+13 DM+15-61 DO+18-70 DZ+37+3 EC-2-80
EE+59+25 EG+30+31 EH+27-13 ER+15+39 ES+40-4 ET+9+39 FI+60+25 FJ-18+178 FK-52-58 FM+7+152 FO+62-7
FR+49+2 GA+0+9 GB+52+0 GD+12-62 GE+42+45 GF+5-52 GG+49-3 GH+6+0 GI+36-5 GL+64-52 GM+13-17
GN+10-14 GP+16-62 GQ+4+9 GR+38+24 GS-54-37 GT+15-91 GU+13+145 GW+12-16 GY+7-58 HK+22+114
HN+14-87 HR+46+16 HT+19-72 HU+48+19 ID-6+107 IE+53-6 IL+32+35 IM+54-4 IN+23+88 IO-7+72 IQ+33+44
IR+36+51 IS+64-22 IT+42+12 JE+49-2 JM+18-77 JO+32+36 JP+36+140 KE-1+37 KG+43+75 KH+12+105
KI+1+173 KM-12+43 KN+17-63 KP+39+126 KR+38+127 KW+29+48 KY+19-81 KZ+43+77 LA+18+103 LB+34+36
LC+14-61 LI+47+10 LK+7+80 LR+6-11 LS-29+28 LT+55+25 LU+50+6 LV+57+24 LY+33+13 MA+34-8 MC+44+7
MD+47+29 ME+42+19 MF+18-63 MG-19+48 MH+7+171 MK+42+21 ML+13-8 MM+17+96 MN+48+107 MO+22+114
MP+15+146 MQ+15-61 MR+18-16 MS+17-62 MT+36+15 MU-20+58 MV+4+74 MW-16+35 MX+19-99 MY+3+102
MZ-26+33 NA-23+17 NC-22+166 NE+14+2 NF-29+168 NG+6+3 NI+12-86 NL+52+5 NO+60+11 NP+28+85 NR-1+167
NU-19-170 NZ-37+175 OM+24+59 PA+9-80 PE-12-77 PF-18-150 PG-10+147 PH+15+121 PK+25+67 PL+52+21
PM+47-56 PN-25-130 PR+18-66 PS+32+34 PT+39-9 PW+7+134 PY-25-58 QA+25+52 RE-21+55 RO+44+26
RS+45+20 RU+56+38 RW-2+30 SA+25+47 SB-10+160 SC-5+55 SD+16+33 SE+59+18 SG+1+104 SH-16-6 SI+46+15
SJ+78+16 SK+48+17 SL+8-13 SM+44+12 SN+15-17 SO+2+45 SR+6-55 SS+5+32 ST+0+7 SV+14-89 SX+18-63
SY+34+36 SZ-26+31 TC+21-71 TD+12+15 TF-49+70 TG+6+1 TH+14+101 TJ+39+69 TK-9-171 TL-9+126
TM+38+58 TN+37+10 TO-21-175 TR+41+29 TT+11-62 TV-9+179 TW+25+122 TZ-7+39 UA+45+34 UG+0+32
UM+19+167 US+42-88 UY-35-56 UZ+40+67 VA+42+12 VC+13-61 VE+10-67 VG+18-65 VI+18-65 VN+11+107
VU-18+168 WF-13-176 WS-14-172 YE+13+45 YT-13+45 ZA-26+28 ZM-15+28 ZW-18+31
`;

const RADIANS = Math.PI / 180;

/** A point on the unit sphere. */
type Point = readonly [number, number, number];

const POINTS: ReadonlyMap<string, Point> = new Map(
  [...PLACES.matchAll(/([A-Z]{2})([+-]\d+)([+-]\d+)/g)].map(([, code, north, east]) => {
    const [latitude, longitude] = [Number(north) * RADIANS, Number(east) * RADIANS];
    const radius = Math.cos(latitude);
    return [
      code!,
      [radius * Math.cos(longitude), radius * Math.sin(longitude), Math.sin(latitude)],
    ];
  }),
);

/**
 * Returns the straight-line distance, which increases with the distance along the ground; infinite
 * if the target is unknown.
 */
function distance(from: Point, to: Point | undefined): number {
  return to === undefined
    ? Infinity
    : Math.hypot(from[0] - to[0], from[1] - to[1], from[2] - to[2]);
}

/** Returns the places nearest to a country, or all places if the country is unknown. */
export function nearest<Place extends { readonly country: string | undefined }>(
  places: readonly Place[],
  country: string | undefined,
): readonly Place[] {
  const from = POINTS.get(country ?? "");
  if (from === undefined) return places;
  const distances = places.map((place) => distance(from, POINTS.get(place.country ?? "")));
  const least = Math.min(...distances);
  return places.filter((_, at) => distances[at] === least);
}
