import type { Bytes } from '../../../contract/ground/bytes.ts'

// The page hands sealed bytes in.

interface Arrival {
  pieces: ReadableStreamDefaultController<Bytes>
  onPiece: (piece: Bytes) => void
}

/** Each arrival has another name. */
const arriving = new Map<string, Arrival>()

/** Returns the bytes that `handIn` takes. */
export const arrivalOf = (arrival: string, onPiece: (piece: Bytes) => void): ReadableStream<Bytes> =>
  new ReadableStream({
    start(pieces) {
      arriving.set(arrival, { pieces, onPiece })
    },
    cancel() {
      arriving.delete(arrival)
    },
  })

/** Takes bytes; undefined ends the file. */
export function handIn(arrival: string, piece: Bytes | undefined): void {
  const known = arriving.get(arrival)
  if (piece) {
    known?.onPiece(piece)
    known?.pieces.enqueue(piece)
    return
  }
  arriving.delete(arrival)
  known?.pieces.close()
}
