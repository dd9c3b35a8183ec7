# Installs svc: .\install.ps1 [-Version v1.2.3] [-Dir DIR]
#
# Verifies the Ed25519 signature over the list of digests, then the digest of what it
# downloads. Needs openssl 3 for the signature (Git for Windows includes it). Without
# openssl 3, the script stops, unless $env:SVC_SKIP_SIGNATURE is 1, to rely on HTTPS alone.
param([string]$Version = "", [string]$Dir = "$env:LOCALAPPDATA\Programs\svc")
$ErrorActionPreference = "Stop"
$ProgressPreference = "SilentlyContinue"

$place = if ($env:SVC_RELEASES_URL) { $env:SVC_RELEASES_URL } else { "@PLACE@" }
$target = "x86_64-pc-windows-msvc"
$Version = $Version -replace "^v", ""
$base = if ($Version) { "$place/download/v$Version" } else { "$place/latest/download" }
$work = New-Item -ItemType Directory -Path (Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid()))

try {
  function Get-ReleaseFile([string]$Name) {
    $path = Join-Path $work $Name
    Invoke-WebRequest -UseBasicParsing -Uri "$base/$Name" -OutFile $path
    return $path
  }

  $sums = Get-ReleaseFile "SHA256SUMS"
  $signature = Get-ReleaseFile "SHA256SUMS.sig"
  $key = Join-Path $work "key.pem"
  @'
@PUBLIC_KEY_PEM@
'@ | Set-Content -Path $key -Encoding Ascii

  $openssl = @("openssl", "$env:ProgramFiles\Git\mingw64\bin\openssl.exe", "$env:ProgramFiles\Git\usr\bin\openssl.exe") |
    Where-Object { Get-Command $_ -ErrorAction SilentlyContinue } |
    Where-Object { (& $_ version) -match "^OpenSSL [3-9]" } | Select-Object -First 1
  if ($openssl) {
    & $openssl pkeyutl -verify -pubin -inkey $key -rawin -in $sums -sigfile $signature | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "Cannot trust $base/SHA256SUMS: svc's key has not signed it. Nothing was installed" }
  } elseif ($env:SVC_SKIP_SIGNATURE -ne "1") {
    throw "Install openssl 3 to verify the signature, or set SVC_SKIP_SIGNATURE to 1 to trust HTTPS alone"
  }

  $entry = Get-Content $sums | Where-Object { $_ -match "^[0-9a-f]{64}  svc-[0-9A-Za-z.-]+-$target\.gz$" } |
    Select-Object -First 1
  if (-not $entry) { throw "This release has no program for $target" }
  $wanted, $file = $entry -split "  "
  if ($Version -and $file -ne "svc-$Version-$target.gz") { throw "Cannot use ${base}: it holds $file" }

  $packed = Get-ReleaseFile $file
  if ((Get-FileHash -Algorithm SHA256 $packed).Hash.ToLower() -ne $wanted) {
    throw "Cannot trust $base/${file}: its SHA-256 is not the signed one. Nothing was installed"
  }
  New-Item -ItemType Directory -Force -Path $Dir | Out-Null
  $program = Join-Path $Dir "svc.exe"
  $incoming = Join-Path $Dir ".svc.installing.exe"
  $in = [IO.File]::OpenRead($packed)
  $gzip = New-Object IO.Compression.GzipStream($in, [IO.Compression.CompressionMode]::Decompress)
  $out = [IO.File]::Create($incoming)
  try { $gzip.CopyTo($out) } finally { $out.Dispose(); $gzip.Dispose(); $in.Dispose() }
  # A running program can be renamed, but not replaced.
  if (Test-Path $program) { Move-Item -Force $program (Join-Path $Dir "svc.previous.exe") }
  Move-Item -Force $incoming $program
  Write-Output "Installed svc $(& $program --version) in $Dir"
  if (($env:PATH -split ";") -notcontains $Dir) { Write-Output "Add $Dir to your PATH" }
} finally {
  Remove-Item -Recurse -Force $work
}
