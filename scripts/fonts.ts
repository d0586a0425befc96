import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { convert } from 'fontverter'
import subsetFont from 'subset-font'
import type { Plugin } from 'vite'

const root = path.resolve(import.meta.dirname, '..')
/** Where `@fonts` in client/ui/fonts.css points. */
export const FONTS = path.join(root, 'node_modules/.cache/fonts')

/** First and last code points. The style sheets name the same ranges. */
type Range = readonly [number, number]
/** What our own texts use: ASCII, and the marks of good typography. */
const TEXT: Range[] = [
  [0x20, 0x7e],
  [0xa0, 0xa0],
  [0xb7, 0xb7],
  [0xd7, 0xd7],
  [0x2013, 0x2014],
  [0x2018, 0x2019],
  [0x201c, 0x201d],
  [0x2022, 0x2022],
  [0x2026, 0x2026],
]
/** The letters of the other languages in Latin script. */
const LATIN: Range[] = [
  [0xa1, 0xb6],
  [0xb8, 0xd6],
  [0xd8, 0xff],
  [0x131, 0x131],
  [0x152, 0x153],
  [0x20ac, 0x20ac],
]
const EXTENDED: Range[] = [
  [0x100, 0x130],
  [0x132, 0x151],
  [0x154, 0x24f],
  [0x1e00, 0x1eff],
  [0x20a0, 0x20ab],
]

/** The letters that the landing has in italics. */
const ITALIC: Range[] = [...' .acelnov'].map((letter) => [letter.charCodeAt(0), letter.charCodeAt(0)])

interface Face {
  /** A file of a package of Fontsource, without its ending. */
  from: string
  ranges: Range[]
  /** The part of each axis that our styles use. */
  axes: Record<string, number | { min: number; max: number }>
}

const SANS = { wght: { min: 400, max: 640 } }
// Headlines are between 20 and 48 px: one optical size serves them all.
const SERIF = { opsz: 36, wght: { min: 380, max: 500 } }
const MONO = { wght: { min: 400, max: 560 } }

const FACES: Record<string, Face> = {
  'inter-text': { from: '@fontsource-variable/inter/files/inter-latin-wght-normal', ranges: TEXT, axes: SANS },
  'inter-latin': { from: '@fontsource-variable/inter/files/inter-latin-wght-normal', ranges: LATIN, axes: SANS },
  'inter-extended': { from: '@fontsource-variable/inter/files/inter-latin-ext-wght-normal', ranges: EXTENDED, axes: SANS },
  'newsreader-text': { from: '@fontsource-variable/newsreader/files/newsreader-latin-opsz-normal', ranges: TEXT, axes: SERIF },
  'newsreader-latin': { from: '@fontsource-variable/newsreader/files/newsreader-latin-opsz-normal', ranges: LATIN, axes: SERIF },
  'newsreader-extended': {
    from: '@fontsource-variable/newsreader/files/newsreader-latin-ext-opsz-normal',
    ranges: EXTENDED,
    axes: SERIF,
  },
  // The headlines of the public pages, up to 76 px, in one weight.
  'newsreader-display': {
    from: '@fontsource-variable/newsreader/files/newsreader-latin-opsz-normal',
    ranges: TEXT,
    axes: { opsz: 72, wght: 380 },
  },
  'newsreader-italic': {
    from: '@fontsource-variable/newsreader/files/newsreader-latin-opsz-italic',
    ranges: ITALIC,
    axes: { opsz: 18, wght: 420 },
  },
  'mono-text': { from: '@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal', ranges: TEXT, axes: MONO },
}

const EMOJI = '@fontsource/noto-color-emoji/files/noto-color-emoji-emoji-400-normal'
/** Engines that draw COLR need no pictures in SVG, which are nine tenths of the file. */
const UNUSED = ['SVG ']

/** The packages whose letters these are. */
export const FONT_PACKAGES = [
  ...new Set([...Object.values(FACES).map(({ from }) => from), EMOJI].map((from) => from.split('/', 2).join('/'))),
]

/** Cuts the fonts of the packages to the glyphs and axes that are used. What is there already is kept. */
export function cutFonts(): Plugin {
  return {
    name: 'cut-fonts',
    async buildStart() {
      mkdirSync(FONTS, { recursive: true })
      for (const [name, face] of Object.entries(FACES)) await cut(name, face)
      await cutEmoji()
    },
  }
}

async function cut(name: string, { from, ranges, axes }: Face): Promise<void> {
  const whole = readFileSync(path.join(root, `node_modules/${from}.woff2`))
  const cutTo = () => subsetFont(whole, ranges.map(textOf).join(''), { targetFormat: 'woff2', variationAxes: axes })
  await keep({ name: `${name}.woff2`, whole, asked: [ranges, axes] }, cutTo)
}

/** As TrueType: to compress it as woff2 takes 20 s, and the build compresses what it serves. */
async function cutEmoji(): Promise<void> {
  const whole = readFileSync(path.join(root, `node_modules/${EMOJI}.woff2`))
  await keep({ name: 'emoji.ttf', whole, asked: UNUSED }, async () => withoutTables(await convert(whole, 'truetype'), UNUSED))
}

interface Wanted {
  name: string
  whole: Buffer
  asked: unknown
}

async function keep({ name, whole, asked }: Wanted, make: () => Promise<Buffer>): Promise<void> {
  const [file, stamp] = [path.join(FONTS, name), path.join(FONTS, `${name}.stamp`)]
  const wanted = createHash('sha256').update(whole).update(JSON.stringify(asked)).digest('hex')
  if (existsSync(file) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  writeFileSync(file, await make())
  writeFileSync(stamp, wanted)
}

/** A font without some of its tables (OpenType 1.9, "Organization of an OpenType Font"). */
function withoutTables(font: Buffer, tags: string[]): Buffer {
  const [head, record] = [12, 16]
  const records = Array.from({ length: font.readUInt16BE(4) }, (_, at) =>
    font.subarray(head + at * record, head + (at + 1) * record),
  )
  const kept = records.filter((one) => !tags.includes(one.toString('latin1', 0, 4)))
  const start = Buffer.from(font.subarray(0, head))
  const power = Math.floor(Math.log2(kept.length))
  for (const [at, value] of [kept.length, 2 ** power * record, power, (kept.length - 2 ** power) * record].entries())
    start.writeUInt16BE(value, 4 + at * 2)
  let offset = head + kept.length * record
  const parts = kept.map((one) => {
    const [from, length] = [one.readUInt32BE(8), one.readUInt32BE(12)]
    const padded = Buffer.alloc(Math.ceil(length / 4) * 4)
    font.copy(padded, 0, from, from + length)
    const moved = Buffer.from(one)
    moved.writeUInt32BE(offset, 8)
    offset += padded.length
    return { moved, padded }
  })
  return Buffer.concat([start, ...parts.map(({ moved }) => moved), ...parts.map(({ padded }) => padded)])
}

const textOf = ([first, last]: Range): string =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, at) => first + at))
