import type { Content } from '../../../contract/chat/content.ts'
import { postedFile } from '../../../contract/chat/oncefiles.ts'
import type { Live } from '../keys/live.ts'
import { readIntoIndex } from '../searchindex/searchindex.ts'
import { dropTransfers } from '../transfers/dropping.ts'
import { dropFiles, passOverOpen } from '../vault/disk.ts'

/** Deletes what else this browser has of deleted messages. */
export async function dropTraces(live: Live, chatRoomId: string, deleted: Content[]): Promise<void> {
  for (const content of deleted) {
    const file = postedFile(content)
    if (file) await dropFiles(live.userId, chatRoomId, file.object).catch(passOverOpen)
    if (content.type === 'transfer') await dropTransfers(live, [{ chatRoomId, transferId: content.transferId }])
  }
  await readIntoIndex(live.vault, [chatRoomId], 0)
}
