import { prepareZXingModule, purgeZXingModule, readBarcodes } from 'zxing-wasm/reader'

/** Loads the program that reads codes: it comes from this server, where the package would ask elsewhere for it. */
export async function prepareReader(): Promise<void> {
  const wasm = new URL('zxing-wasm/reader/zxing_reader.wasm', import.meta.url).href
  const locateFile = (name: string, folder: string) => (name.endsWith('.wasm') ? wasm : folder + name)
  try {
    await prepareZXingModule({ overrides: { locateFile }, equalityFn: () => true, fireImmediately: true })
  } catch (error) {
    // A failed load is remembered: the next one would get the same answer.
    purgeZXingModule()
    throw error
  }
}

/** The text of a QR code in a picture, or undefined. */
export async function readQr(picture: ImageData): Promise<string | undefined> {
  const [found] = await readBarcodes(picture, { formats: ['QRCode'], maxNumberOfSymbols: 1 })
  return found?.isValid ? found.text : undefined
}
