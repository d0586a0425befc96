import decodeQR from 'qr/decode.js'

/** As `readQr` of reader.ts, for browsers without WebAssembly. */
export async function readQr(picture: ImageData): Promise<string | undefined> {
  try {
    return decodeQR(picture)
  } catch (error) {
    // The package throws a plain Error where it finds no code, and errors of other names for wrong input.
    if (!(error instanceof Error) || error.name !== 'Error') throw error
    return undefined
  }
}
