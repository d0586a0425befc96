// `npm run where -- <old path or a part of it>`: where a file of before the wings is now.
import { readFileSync } from 'node:fs'

const asked = process.argv[2] ?? ''
const table = readFileSync(new URL('../docs/moved.md', import.meta.url), 'utf8')
const moves = [...table.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|$/gm)]
const found = moves.filter(([, before = '']) => asked !== '' && before.includes(asked))
for (const [, before, now] of found) console.log(`${before} -> ${now}`)
if (found.length === 0) {
  console.error(asked === '' ? 'Name an old path, or a part of one' : `No file whose path had "${asked}" has moved`)
  process.exitCode = 1
}
