import { createReadStream } from 'node:fs'
import { BackupError } from './backupError.ts'

export interface Entry {
  /** At most 100 bytes. */
  name: string
  /** undefined: a folder. */
  file?: { sizeBytes: number; bytes: AsyncIterable<Buffer> | Iterable<Buffer> }
}

/** POSIX.1-1988 (ustar): any tar reads it. */
const BLOCK = 512
const NAME_BYTES = 100
const NAME = /^(?!.*(^|\/)\.{1,2}(\/|$))[\w.+-]+(\/[\w.+-]+)*$/
const [MODE_AT, OWNERS_AT, SIZE_AT, TIME_AT, SUM_AT, TYPE_AT, MAGIC_AT] = [100, 108, 124, 136, 148, 156, 257]

/** Yields a tar. */
export async function* writeArchive(entries: AsyncIterable<Entry>): AsyncGenerator<Buffer> {
  for await (const { name, file } of entries) {
    yield headOf(name, file?.sizeBytes)
    if (!file) continue
    let left = file.sizeBytes
    for await (const chunk of file.bytes) {
      const some = chunk.subarray(0, left)
      left -= some.length
      if (some.length > 0) yield some
      if (left === 0) break
    }
    // The database's log has what belongs here.
    for (; left > 0; left -= BLOCK) yield Buffer.alloc(Math.min(left, BLOCK))
    yield Buffer.alloc(paddingOf(file.sizeBytes))
  }
  yield Buffer.alloc(2 * BLOCK)
}

export const readStart = (file: string, sizeBytes: number): AsyncIterable<Buffer> | Buffer[] =>
  sizeBytes === 0 ? [] : createReadStream(file, { end: sizeBytes - 1 })

const paddingOf = (sizeBytes: number): number => (BLOCK - (sizeBytes % BLOCK)) % BLOCK

function headOf(name: string, sizeBytes: number | undefined): Buffer {
  if (!NAME.test(name) || Buffer.byteLength(name) > NAME_BYTES)
    throw new BackupError(`A backup takes no file of the name ${name}`)
  const head = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  head.write(name)
  head.write(octal(sizeBytes === undefined ? 0o700 : 0o600, 7), MODE_AT)
  head.write(`${octal(0, 7)}\0${octal(0, 7)}`, OWNERS_AT)
  head.write(octal(sizeBytes ?? 0, 11), SIZE_AT)
  head.write(octal(0, 11), TIME_AT)
  head.write(sizeBytes === undefined ? '5' : '0', TYPE_AT)
  head.write('ustar\x0000', MAGIC_AT)
  head.write(`${octal(sumOf(head), 6)}\0 `, SUM_AT)
  return head
}

function sumOf(head: Buffer): number {
  let sum = 0
  for (let at = 0; at < BLOCK; at++) sum += at >= SUM_AT && at < TYPE_AT ? 32 : (head[at] ?? 0)
  return sum
}

/** Calls `take`, which reads each entry to its end. Throws BackupError. */
export async function readArchive(bytes: AsyncIterable<Buffer>, take: (entry: Entry) => Promise<void>): Promise<void> {
  const source = bytes[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  async function some(): Promise<boolean> {
    const { value, done } = await source.next()
    if (!done) rest = rest.length === 0 ? value : Buffer.concat([rest, value])
    return !done
  }
  async function block(): Promise<Buffer> {
    while (rest.length < BLOCK) if (!(await some())) throw new BackupError('The archive ends in its middle')
    const first = rest.subarray(0, BLOCK)
    rest = rest.subarray(BLOCK)
    return first
  }
  async function* content(sizeBytes: number): AsyncGenerator<Buffer> {
    for (let left = sizeBytes; left > 0; ) {
      if (rest.length === 0 && !(await some())) throw new BackupError('The archive ends in its middle')
      const part = rest.subarray(0, left)
      rest = rest.subarray(part.length)
      left -= part.length
      yield part
    }
    for (let left = paddingOf(sizeBytes); left > 0; ) {
      if (rest.length === 0 && !(await some())) throw new BackupError('The archive ends in its middle')
      const skipped = Math.min(left, rest.length)
      rest = rest.subarray(skipped)
      left -= skipped
    }
  }
  for (let head = await block(); head.some((byte) => byte !== 0); head = await block()) {
    const text = (at: number, length: number) => head.toString('latin1', at, at + length).replace(/\0.*$/s, '')
    const [name, sizeBytes] = [text(0, NAME_BYTES), Number.parseInt(text(SIZE_AT, 12), 8)]
    const isWhole = Number.parseInt(text(SUM_AT, 8), 8) === sumOf(head) && NAME.test(name) && sizeBytes >= 0
    if (!isWhole) throw new BackupError('The archive is damaged: a head in it is none')
    await take(text(TYPE_AT, 1) === '5' ? { name } : { name, file: { sizeBytes, bytes: content(sizeBytes) } })
  }
  // Decryption and gzip check their end.
  while (await some()) rest = Buffer.alloc(0)
}
