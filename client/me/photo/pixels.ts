import { type Picture, pictureSize } from '../../../contract/chat/pictureSize.ts'

/** Four bytes per pixel make 400 MB. */
export const PIXELS_MAX = 100_000_000

/** undefined for what cannot be measured. */
export async function pixelsOf(file: Blob): Promise<Picture | undefined> {
  return pictureSize(new Uint8Array(await file.arrayBuffer()))
}

export async function isShowable(file: Blob, pixelsMax = PIXELS_MAX): Promise<boolean> {
  const size = await pixelsOf(file)
  return size !== undefined && size.width * size.height <= pixelsMax
}
