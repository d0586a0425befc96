import decodeQR from 'qr/decode.js'

/** As `readQr` of reader.ts, for browsers without WebAssembly. */
export async function readQr(picture: ImageData): Promise<string | undefined> {
  try {
    return decodeQR(picture)
  } catch {
    // The package throws where it finds no code.
    return undefined
  }
}
