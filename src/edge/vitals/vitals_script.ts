/**
 * @module The script that measures web vitals in a visitor's browser.
 *
 * The script sends one beacon when the page is first hidden, with loading times (TTFB, FCP, LCP),
 * responsiveness (INP) and layout shift (CLS), as web.dev defines them. A page that was loaded in
 * the background has no FCP or LCP.
 */

export const VITALS_SCRIPT_PATH = "/_svc/vitals.js";

/** Path that the script sends measurements to. */
export const VITALS_PATH = "/_svc/vitals";

/** The minified script. A test ensures that its compressed size is at most 1 kB. */
export const VITALS_SCRIPT = `(()=>{
let d=document,w=d.visibilityState=="hidden"&&!d.prerendering,v={p:location.pathname},s=0,a=0,b=0,t=[],n=new Map,o=0,
q=(e,f,x)=>{try{let o=new PerformanceObserver(l=>l.getEntries().map(f));o.observe({type:e,buffered:!0,...x});r.push([o,f])}catch{}},
r=[],g=performance.getEntriesByType("navigation")[0],z=g&&g.activationStart||0,
m=x=>Math.max(0,Math.round(x-z));
if(g&&g.responseStart)v.ttfb=m(g.responseStart);
w||q("paint",e=>{if(e.name=="first-contentful-paint")v.fcp=m(e.startTime)});
w||q("largest-contentful-paint",e=>v.lcp=m(e.startTime));
q("layout-shift",e=>{if(v.cls??=0,e.hadRecentInput)return;let x=e.startTime;s=x-b<1e3&&x-a<5e3?s+e.value:(a=x,e.value);b=x;v.cls=Math.max(v.cls,s)});
q("event",e=>{let i=e.interactionId;if(i){n.set(i,Math.max(n.get(i)||0,e.duration));o=n.size;if(o>500)n.delete(n.keys().next().value)}},{durationThreshold:16});
let h=()=>{if(o<0)return;r.map(([x,f])=>x.takeRecords().map(f));
if(n.size){t=[...n.values()].sort((x,y)=>y-x);v.inp=t[t.length/50|0]}
if(v.lcp||v.fcp)v.cls=+(v.cls||0).toFixed(4);
o=-1;navigator.sendBeacon("${VITALS_PATH}",JSON.stringify(v))};
d.addEventListener("visibilitychange",()=>d.visibilityState=="hidden"&&h());
addEventListener("pagehide",h)
})()
`;
