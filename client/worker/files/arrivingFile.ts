import type { Bytes } from '../../../contract/ground/bytes.ts'

// A fetched file is opened while it comes: the page hands its sealed bytes in, piece by piece.

interface Arrival {
  pieces: ReadableStreamDefaultController<Bytes>
  onPiece: (piece: Bytes) => void
}

/** Files that are being fetched, by the names of their arrivals: what is left of one that was given up ends no other. */
const arriving = new Map<string, Arrival>()

/** The sealed bytes of a file, as `handIn` is given them from now on. `onPiece` is given them too. */
export const arrivalOf = (arrival: string, onPiece: (piece: Bytes) => void): ReadableStream<Bytes> =>
  new ReadableStream({
    start(pieces) {
      arriving.set(arrival, { pieces, onPiece })
    },
    cancel() {
      arriving.delete(arrival)
    },
  })

/** Takes the next sealed bytes of a file; none is their end. What nobody opens any more is passed over. */
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
