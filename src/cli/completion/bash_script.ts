/**
 * @module The completion script for bash 3.2 or later. It does not need the bash-completion
 * package, forwards the input unchanged, and evaluates none of it.
 */

/** Bash splits words at `=` and `:`. The first loop joins the parts again. */
export const BASH_SCRIPT = String.raw`# bash completion for svc
__svc_complete() {
  local rest=\${COMP_LINE:0:COMP_POINT} words=() word trimmed i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    trimmed=\${rest#"\${rest%%[![:space:]]*}"}
    ((i == COMP_CWORD)) && word=$trimmed
    if [[ $trimmed == "$rest" && \${#words[@]} -gt 0 ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    rest=\${trimmed#"$word"}
  done
  local current=\${words[\${#words[@]}-1]} last=\${COMP_WORDS[COMP_CWORD]}
  local flag= head directive=0 line
  case $last in = | :) last= ;; esac
  case $current in --*=*) flag=\${current%%=*}= ;; esac
  head=\${current%"$last"}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :* ]]; then
      directive=\${line#:}
      continue
    fi
    line=$flag\${line%%$'\t'*}
    [[ $line == "$current"* ]] && COMPREPLY+=("\${line#"$head"}")
  done < <(svc complete -- "\${words[@]:1}" 2>/dev/null)
  ((\${#COMPREPLY[@]} > 0 || (directive & 4))) && compopt +o default 2>/dev/null
  return 0
}
complete -o default -F __svc_complete svc`.replaceAll("\\$", "$");
