#!/usr/bin/env bash
# Instructions per message of a few modes, counted by valgrind, beside the numbers of benches/instructions.tsv: fails where a mode
# takes over 5 % more than it did, since a time on a shared machine could not tell. `--bless` writes the numbers of now.
#
# They are of 4000 generated posts less those of 2000, so that starting up does not count. Four rows are of messages of one template
# (codes, words, names, entries), of which hardly one repeats another: what one costs must not grow with those before it. The program is
# that of the tests, so that it need not be compiled twice; QUCHONG names another one.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "instructions: skipped, there is no valgrind on this machine"; exit 0; }
[ -n "${QUCHONG:-}" ] || CARGO_INCREMENTAL=0 cargo build --quiet --locked --bin quchong
quchong=${QUCHONG:-target/debug/quchong}
# On some processors glibc copies memory by `rep movsb`, which valgrind counts once for each byte. Without it they give the same count.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-ERMS,-FSRM
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

texts() { # KIND LINES
  case $1 in
    posts) "$quchong" generate --lines "$2" --seed 1 ;;
    codes) seq "$2" | awk '{ printf "【某某银行】您的验证码是%d，请在5分钟内完成验证，切勿将验证码告诉他人。如非本人操作，请忽略本短信。\n", 100000 + $1 * 7919 % 900000 }' ;;
    names) seq "$2" | awk '
      BEGIN {
        n = split("王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 胡 朱 高 林", names)
        g = split("伟 芳 娜 敏 静 丽 强 磊 军 洋 勇 艳 杰 涛 超 霞 平 刚 桂 英", given)
      }
      function one(of, count, by) { return of[1 + int($1 / by) % count] }
      { printf "%s%s%s撤回了一条消息\n", one(names, n, 1), one(given, g, 16), one(given, g, 320) }' ;;
    entries) seq "$2" | awk '
      BEGIN { s = split("已满 充足 紧张", states); seed = 7 }
      function one() { seed = (seed * 75 + 74) % 65537; return states[1 + seed % s] }
      { printf "自习室余座：1楼%s", one()
        for (floor = 2; floor < 11; floor++) printf "，%d楼%s", floor, one()
        printf "\n" }' ;;
    words) seq "$2" | awk '
      BEGIN {
        n = split("王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙", names); g = split("伟 芳 娜 敏 静 丽 强 磊 军 洋 勇 艳 杰", given)
        c = split("北京 上海 广州 深圳 成都 杭州 武汉 西安 南京 重庆 天津", cities)
        s = split("金 福 鑫 源 泰 和 顺 兴 旺 丰 盛 隆 昌 华 美 佳 宏 达 瑞", signs); d = split("红烧 清蒸 糖醋 麻辣 香煎 宫保 鱼香", ways)
        m = split("牛肉 排骨 豆腐 茄子 鲤鱼 土豆 白菜 虾仁 鸡丁 羊腿 蘑菇", dishes)
      }
      function one(of, count, by) { return of[1 + int($1 / by) % count] }
      { printf "亲爱的%s%s，感谢您光临%s的%s%s%s餐厅，您点的%s%s已经开始为您准备，请您稍候片刻，祝您用餐愉快。\n", one(names, n, 1), one(given, g, 1),
          one(cities, c, 1), one(signs, s, 1), one(signs, s, 3), one(signs, s, 57), one(ways, d, 1), one(dishes, m, 1) }' ;;
  esac
}

count() { # KIND LINES OPTIONS...
  texts "$1" "$2" >"$folder/texts"
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$quchong" dedup --quiet -j 1 "${@:3}" \
    "$folder/texts" 2>&1 >/dev/null | sed -n 's/.*I *refs: *//p' | tr -d ,
}

while IFS=$'\t' read -r before kind options; do
  read -ra words <<<"$options"
  now=$((($(count "$kind" 4000 "${words[@]}") - $(count "$kind" 2000 "${words[@]}")) / 2000))
  printf '%s\t%s\t%s\n' "$now" "$kind" "$options" >>"$folder/now.tsv"
  printf 'instructions per message: %6d, before %6d   %s %s\n' "$now" "$before" "$kind" "$options"
  [ "$now" -le $((before + before / 20)) ] || echo "$kind $options" >>"$folder/slower"
done <benches/instructions.tsv

if [ "${1:-}" = --bless ]; then
  cp "$folder/now.tsv" benches/instructions.tsv
elif [ -e "$folder/slower" ]; then
  echo "instructions: these take over 5 % more than before; mend it, or benches/instructions.sh --bless if it is worth it"
  exit 1
fi
