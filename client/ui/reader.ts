import { prepareZXingModule, purgeZXingModule, readBarcodes } from 'zxing-wasm/reader'

/** Loads the WASM decoder from this server. By default the package would load it from a CDN. */
export async function prepareReader(): Promise<void> {
  const wasm = new URL('zxing-wasm/reader/zxing_reader.wasm', import.meta.url).href
  const locateFile = (name: string, folder: string) => (name.endsWith('.wasm') ? wasm : folder + name)
  try {
    await prepareZXingModule({ overrides: { locateFile }, equalityFn: () => true, fireImmediately: true })
  } catch (error) {
    // The package caches a failed load. Purging it lets the next attempt load again.
    purgeZXingModule()
    throw error
  }
}

/** Reads the text of a QR code in a picture; undefined if there is none. */
export async function readQr(picture: ImageData): Promise<string | undefined> {
  const [found] = await readBarcodes(picture, { formats: ['QRCode'], maxNumberOfSymbols: 1 })
  return found?.isValid ? found.text : undefined
}
