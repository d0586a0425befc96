import type { FileContent, TransferContent } from '../../../contract/chat/content.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'

const asOf = (mediaType: string): FileContent['as'] =>
  mediaType.startsWith('image/') ? 'image' : mediaType.startsWith('audio/') ? 'audio' : 'file'

/** Looks, opens and is listed as any file of a chat: no server has its object, and nobody its key. */
export const transferAsFile = ({ transferId, name, mediaType, sizeBytes, hash }: TransferContent): FileContent => ({
  ...{ type: 'file', as: asOf(mediaType), object: transferId, storedBytes: LIMITS.sealedFileMinBytes },
  ...{ key: '', hash, name, mediaType, sizeBytes, caption: '' },
})
