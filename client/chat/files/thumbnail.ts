import type { FileContent } from '../../../contract/chat/content.ts'
import { pictureSize } from '../../../contract/chat/pictureSize.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'

/** Ours have 40. */
const SIDE_MAX_PX = 160

/** Returns an address of the preview. undefined if the sender made it anything but a small JPEG. */
export function thumbnailUrl(picture: FileContent['picture']): string | undefined {
  if (!picture?.thumbnail) return undefined
  const size = pictureSize(fromBase64(picture.thumbnail))
  if (size?.type !== 'image/jpeg' || Math.max(size.width, size.height) > SIDE_MAX_PX) return undefined
  return `data:image/jpeg;base64,${picture.thumbnail}`
}
