# bash completion for monotable. The commands and options are those that the help names, so there
# is no second list of them here.

_monotable() {
  local word="${COMP_WORDS[COMP_CWORD]}" command= verb= part
  for part in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ "$part" == -* ]] && break
    if [ -z "$command" ]; then command="$part"; else verb="$part" && break; fi
  done

  local choices=
  if [[ "$word" == -* ]]; then
    choices="--help $(monotable $command --help 2>/dev/null | grep -oE -- '--[a-z0-9-]+')"
  elif [ -z "$command" ]; then
    choices="$(monotable --help 2>/dev/null | sed -nE 's/^  monotable ([a-z]+) .*/\1/p')"
  elif [ -z "$verb" ] && [ "$command" != serve ]; then
    choices="$(monotable "$command" --help 2>/dev/null |
      sed -nE "s/^  monotable $command ([a-z]+) .*/\1/p")"
  fi
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word" | sort -u)
  # What follows an option or a verb is most often a file.
  [ ${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

complete -o filenames -F _monotable monotable
