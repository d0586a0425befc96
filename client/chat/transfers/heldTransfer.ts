import { LIMITS } from '../../../contract/ground/limits.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { heldType } from '../files/fileWords.ts'
import type { Held } from '../files/openedFiles.ts'
import { changeTransfer, type Transfer } from './transferState.ts'
import { receivedFile } from './transfers.ts'

const asOf = (mediaType: string) => (mediaType.startsWith('image/') ? 'image' : mediaType.startsWith('audio/') ? 'audio' : 'file')

/** What was received opens as any file of the chat does: no server has its object. */
export const heldTransfer = ({ chatRoomId, content }: Pick<Transfer, 'chatRoomId' | 'content'>): Held => ({
  chatRoomId,
  file: {
    ...{ type: 'file', as: asOf(content.mediaType), object: content.transferId, storedBytes: LIMITS.sealedFileMinBytes },
    ...{ key: '', hash: content.hash, name: content.name, mediaType: content.mediaType, sizeBytes: content.sizeBytes },
    caption: '',
  },
  async read(env) {
    const bytes = await receivedFile(env, content.transferId)
    if (!bytes) {
      changeTransfer(content.transferId, { isHere: false })
      throw new CryptoFailure('file_absent', 'It is not in this browser any more, and no server has it.')
    }
    return bytes.slice(0, bytes.size, heldType(content.mediaType))
  },
})
