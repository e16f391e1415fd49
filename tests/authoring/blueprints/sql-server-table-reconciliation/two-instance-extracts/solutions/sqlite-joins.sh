#> Do it in SQL: load the catalogues and the tables into SQLite, let queries find keys and drift, and build one comparison per table.
set -f
H=/srv/extracts; D=/tmp/rec.db; rm -f $D
cat $H/README.md $H/job.ini
ini() { sed -n "s/^$1 *= *//p" $H/job.ini; }
S=$(ini source); T=$(ini target)
q() { sqlite3 -bail $D "$@"; }
for p in "s $S" "t $T"; do
  set -- $p
  q ".import --csv $H/$2/catalog/columns.csv c$1" ".import --csv $H/$2/catalog/indexes.csv x$1"
  q "create view k$1 as select \"table\" tab, \"index\" idx, max(is_primary_key) pk, group_concat(\"column\") cols from (select * from x$1 order by \"table\", \"index\", cast(key_ordinal as int)) i
     where is_unique = '1' and has_filter = '0' group by 1, 2
     having not exists (select 1 from x$1 j join c$1 c on c.\"table\" = j.\"table\" and c.\"column\" = j.\"column\" where j.\"table\" = tab and j.\"index\" = idx and c.is_nullable = '1')"
done
secs() { jq -r '[.sysdatetime, .sysutcdatetime] | map(sub(" "; "T") + "Z" | fromdate) | .[0] - .[1]' $H/$1/session.json; }
os=$(secs $S); ot=$(secs $T)
tables=$(for p in $(ini tables | tr , ' '); do q "select distinct \"table\" from cs where \"table\" glob '$p'"; done | sort -u)
#> One statement per shared column, with both sides brought to one form.
expr() { # alias column type othertype offset
  case $3 in
    decimal*) a=${3#*,}; a=${a%)}; b=${4#*,}; b=${b%)}; [ "$b" -lt "$a" ] && a=$b; e="cast(round(cast($1.\"$2\" as real) * 1e$a) as int)";;
    datetime2) e="unixepoch($1.\"$2\") - ($5)";;
    datetimeoffset) e="unixepoch($1.\"$2\")";;
    *) e="trim($1.\"$2\")";;
  esac
  echo "case when $1.\"$2\" = '\\N' then null else $e end"
}
: > /tmp/entries
for t in $tables; do
  q "drop table if exists s" "drop table if exists t" ".import --csv $H/$S/data/$t.csv s" ".import --csv $H/$T/data/$t.csv t"
  key=$(q "select s.cols from ks s join kt t on s.tab = t.tab and s.cols = t.cols where s.tab = '$t' order by s.pk desc limit 1")
  drift=$(q "select coalesce(json_group_array(json_object('column', col, 'kind', kind)), '[]') from (
     select a.\"column\" col, case when b.\"column\" is null then 'only_source' else 'type' end kind from cs a left join ct b on a.\"table\" = b.\"table\" and a.\"column\" = b.\"column\"
       where a.\"table\" = '$t' and a.type is not b.type
     union all select b.\"column\", 'only_target' from ct b where b.\"table\" = '$t' and not exists (select 1 from cs a where a.\"table\" = b.\"table\" and a.\"column\" = b.\"column\"))")
  m=null; x=null; w=null
  if [ -n "$key" ]; then
    on=1; ks=; kt=
    for c in $(echo $key | tr , ' '); do
      on="$on and trim(s.\"$c\") = trim(t.\"$c\")"; ks="$ks,trim(s.\"$c\")"; kt="$kt,trim(t.\"$c\")"
    done
    ks="json_array(${ks#,})"; kt="json_array(${kt#,})"
    m=$(q "select json_group_array(json($ks)) from s where not exists (select 1 from t where $on)")
    x=$(q "select json_group_array(json($kt)) from t where not exists (select 1 from s where $on)")
    : > /tmp/found
    q -separator ' ' "select a.\"column\", a.type, b.type from cs a join ct b on a.\"table\" = b.\"table\" and a.\"column\" = b.\"column\" where a.\"table\" = '$t'" > /tmp/shared
    while read -r c ta tb; do
      case ",$key," in *",$c,"*) continue;; esac
      q "select json_object('key', json($ks), 'column', '$c') from s join t on $on where ($(expr s $c "$ta" "$tb" $os)) is not ($(expr t $c "$tb" "$ta" $ot))" < /dev/null >> /tmp/found
    done < /tmp/shared
    w=$(jq -sc . /tmp/found)
  fi
  jq -nc --arg t $t --arg key "$key" --argjson m "$m" --argjson x "$x" --argjson w "$w" --argjson d "$drift" --argjson ns "$(q 'select count(*) from s')" --argjson nt "$(q 'select count(*) from t')" \
    '{key: $t, value: {source_rows: $ns, target_rows: $nt, key: (if $key == "" then null else $key | split(",") end), missing: $m, extra: $x, mismatches: $w, drift: $d,
      result: (if $key == "" then "SKIPPED" elif ([$m, $x, $w, $d] | add | length) > 0 then "DIFFERENCES FOUND" else "IDENTICAL" end)}}' >> /tmp/entries
done
#> Put the entries together and count the verdicts.
jq -s 'def n(r): map(select(.value.result == r)) | length;
  {tables: from_entries, summary: {passed: n("IDENTICAL"), failed: n("DIFFERENCES FOUND"), skipped: n("SKIPPED")}}' /tmp/entries > /workspace/reconciliation.json
jq -c '.summary, (.tables | map_values([.result, .key]))' /workspace/reconciliation.json
