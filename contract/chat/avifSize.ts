import { grow, type Size, textAt } from './grow.ts'

interface Box {
  kind: string
  from: number
  to: number
}

/** Grids and overlays are not measured. */
const ITEMS = ['av01', 'Exif', 'mime']

/**
 * The sizes that the container names (ISO/IEC 23008-12) and those that the pictures themselves name (AV1, 5.5): a decoder
 * unpacks the latter. Throws RangeError for animations, grids and whatever else it cannot measure.
 */
export function avifSize(view: DataView): Size {
  const size = { width: 0, height: 0 }
  const top = [...boxes(view, 0, view.byteLength)]
  if (top.some(({ kind }) => kind === 'moov')) throw new RangeError('An animation')
  const meta = only(top, 'meta')
  const parts = [...boxes(view, meta.from + 4, meta.to)]
  const pictures = picturesIn(view, only(parts, 'iinf'))
  for (const { kind, from } of boxes(view, ...span(only([...boxes(view, ...span(only(parts, 'iprp')))], 'ipco'))))
    if (kind === 'ispe') grow(size, view.getUint32(from + 4), view.getUint32(from + 8))
  const data = parts.find(({ kind }) => kind === 'idat')
  let found = 0
  for (const { id, from, to } of places(view, only(parts, 'iloc'), data))
    if (pictures.has(id)) {
      growByUnits(view, from, to, size)
      found += 1
    }
  if (found === 0 || found < pictures.size) throw new RangeError('No picture')
  return size
}

const span = ({ from, to }: Box): [number, number] => [from, to]

function only(all: Box[], wanted: string): Box {
  const [box, more] = all.filter(({ kind }) => kind === wanted)
  if (!box || more) throw new RangeError(`No ${wanted}, or two`)
  return box
}

function* boxes(view: DataView, begin: number, end: number): Generator<Box> {
  for (let at = begin; at < end; ) {
    const named = view.getUint32(at)
    const head = named === 1 ? 16 : 8
    const bytes = named === 1 ? Number(view.getBigUint64(at + 8)) : named === 0 ? end - at : named
    if (bytes < head || at + bytes > end) throw new RangeError('A box without an end')
    yield { kind: textAt(view, at + 4, 4), from: at + head, to: at + bytes }
    at += bytes
  }
}

/** The ids of all items that are AV1. */
function picturesIn(view: DataView, { from, to }: Box): Set<number> {
  const ids = new Set<number>()
  const isShort = view.getUint8(from) === 0
  for (const { from: at } of boxes(view, from + (isShort ? 6 : 8), to)) {
    const version = view.getUint8(at)
    if (version !== 2 && version !== 3) throw new RangeError('Another version')
    const behind = at + (version === 2 ? 8 : 10)
    const kind = textAt(view, behind, 4)
    if (!ITEMS.includes(kind)) throw new RangeError('Put together')
    if (kind === 'av01') ids.add(version === 2 ? view.getUint16(at + 4) : view.getUint32(at + 4))
  }
  return ids
}

/** Yields each item's place. Items in pieces are not measured. */
function* places(view: DataView, { from }: Box, data: Box | undefined): Generator<{ id: number; from: number; to: number }> {
  const version = view.getUint8(from)
  if (version > 2) throw new RangeError('Another version')
  let at = from + 4
  const read = (bytes: number): number => {
    if (![0, 2, 4, 8].includes(bytes)) throw new RangeError('Another length')
    const value =
      bytes === 8 ? Number(view.getBigUint64(at)) : bytes === 4 ? view.getUint32(at) : bytes === 2 ? view.getUint16(at) : 0
    at += bytes
    return value
  }
  const lengths = read(2)
  const [offsetBytes, lengthBytes, baseBytes] = [lengths >> 12, (lengths >> 8) & 15, (lengths >> 4) & 15]
  const indexBytes = version === 0 ? 0 : lengths & 15
  const wide = version === 2 ? 4 : 2
  for (let left = read(wide); left > 0; left--) {
    const id = read(wide)
    const method = version === 0 ? 0 : read(2) & 15
    if (read(2) !== 0) throw new RangeError('In another file')
    const base = read(baseBytes)
    if (read(2) !== 1) throw new RangeError('In pieces')
    read(indexBytes)
    const begin = base + read(offsetBytes)
    const bytes = read(lengthBytes)
    if (method > 1 || (method === 1 && !data)) throw new RangeError('Elsewhere')
    const start = method === 1 && data ? data.from + begin : begin
    if (bytes === 0 || start + bytes > view.byteLength) throw new RangeError('Outside')
    yield { id, from: start, to: start + bytes }
  }
}

/** Walks the open bitstream units of a picture (AV1, 5.3). */
function growByUnits(view: DataView, from: number, to: number, size: Size): void {
  let sequences = 0
  for (let at = from; at < to; ) {
    const head = view.getUint8(at)
    at += head & 4 ? 2 : 1
    let bytes = to - at
    if (head & 2) {
      bytes = 0
      for (let shift = 0; ; shift += 7) {
        const byte = view.getUint8(at++)
        bytes += (byte & 0x7f) * 2 ** shift
        if (byte < 0x80) break
        if (shift > 28) throw new RangeError('Too long')
      }
    }
    if (((head >> 3) & 15) === 1) {
      growBySequence(view, at, size)
      sequences += 1
    }
    at += bytes
  }
  if (sequences === 0) throw new RangeError('No size')
}

/** The sequence header (AV1, 5.5.1). */
function growBySequence(view: DataView, from: number, size: Size): void {
  let at = from * 8
  const bits = (count: number): number => {
    let value = 0
    for (let left = count; left > 0; left--, at++) value = value * 2 + ((view.getUint8(at >> 3) >> (7 - (at & 7))) & 1)
    return value
  }
  bits(4)
  const isReduced = bits(1) === 1
  if (isReduced) bits(5)
  else {
    if (bits(1) === 1) throw new RangeError('Timed')
    const hasDelay = bits(1) === 1
    for (let left = bits(5); left >= 0; left--) {
      bits(12)
      if (bits(5) > 7) bits(1)
      if (hasDelay && bits(1) === 1) bits(4)
    }
  }
  const [wide, high] = [bits(4) + 1, bits(4) + 1]
  grow(size, bits(wide) + 1, bits(high) + 1)
}
