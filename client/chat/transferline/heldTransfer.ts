import { CryptoFailure } from '../../worker/crypto.ts'
import { heldType } from '../files/fileWords.ts'
import type { Held } from '../files/openedFiles.ts'
import { transferAsFile } from '../files/transferAsFile.ts'
import { changeTransfer, type Transfer } from './transferState.ts'
import { transferVerbs } from './transferVerbs.ts'

/** What was received, to be opened. */
export const heldTransfer = ({ chatRoomId, content }: Pick<Transfer, 'chatRoomId' | 'content'>): Held => ({
  chatRoomId,
  file: transferAsFile(content),
  async read(env) {
    const bytes = await (await transferVerbs()).receivedFile(env, content.transferId)
    if (!bytes) {
      changeTransfer(content.transferId, { isHere: false })
      throw new CryptoFailure('file_absent', 'It is not in this browser any more, and no server has it.')
    }
    return bytes.slice(0, bytes.size, heldType(content.mediaType))
  },
})
