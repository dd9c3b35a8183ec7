/**
 * @module The completion script for PowerShell. The script forwards the input unchanged and
 * evaluates none of it.
 */

/** PowerShell before 7.3 drops empty arguments of programs unless they are quoted. */
export const POWERSHELL_SCRIPT = String.raw`# PowerShell completion for svc
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    if ($wordToComplete -eq '') {
        if ($PSVersionTable.PSVersion -lt [version]'7.3') { $words += '""' } else { $words += '' }
    }
    & svc complete '--' @words 2>$null | Where-Object { $_ -notlike ':*' } | ForEach-Object {
        $value, $meaning = $_.Split([char]9, 2)
        if (-not $meaning) { $meaning = $value }
        [System.Management.Automation.CompletionResult]::new(
            $value, $value, 'ParameterValue', $meaning)
    }
}`;
