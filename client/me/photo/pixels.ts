import { type Picture, pictureSize } from '../../../contract/chat/pictureSize.ts'

/** Four bytes per pixel make 256 MB, which is more than any screen shows and as much as a phone's camera takes. */
export const PIXELS_MAX = 64 * 1024 * 1024

/** Measures a picture before anything decodes it. undefined for what cannot be measured, which is never shown. */
export async function pixelsOf(file: Blob): Promise<Picture | undefined> {
  return pictureSize(new Uint8Array(await file.arrayBuffer()))
}

/** False for what cannot be measured and for what would fill the memory. */
export async function isShowable(file: Blob, pixelsMax = PIXELS_MAX): Promise<boolean> {
  const size = await pixelsOf(file)
  return size !== undefined && size.width * size.height <= pixelsMax
}
