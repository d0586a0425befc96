import { endHeld } from '../keys/heldCalls.ts'
import type { Live } from '../keys/live.ts'
import { dropFiles, memoryKey, passOverOpen, WAITING } from '../vault/disk.ts'
import { exclusive } from '../vault/exclusive.ts'
import { nameIn, receivedFile, type TransferName, transfersIn, waitingFile } from '../vault/waitingFiles.ts'
import { forgetTransfer, unkeptTransfers, waitingPlace } from './heldTransfers.ts'
import { goneWrite, keptRows, nameOf } from './keptTransfers.ts'

/** Deletes rows, pieces and keys, also of locked chats. */
export async function dropTransfers(live: Live, names: TransferName[]): Promise<void> {
  if (names.length === 0) return
  for (const name of names) {
    endHeld(live, { subject: 'transfer', callId: name.transferId })
    forgetTransfer(live, name)
  }
  await live.vault.write(names.map(goneWrite))
  for (const name of names)
    await exclusive(memoryKey(...waitingPlace(live, name)), () =>
      dropFiles(live.userId, WAITING, waitingFile(name)).catch(passOverOpen),
    )
}

export async function dropRoomTransfers(live: Live, chatRoomId: string): Promise<void> {
  const kept = (await live.vault.keys('sealed', transfersIn(chatRoomId))).map(nameIn)
  const unkept = unkeptTransfers(live).map(({ row }) => nameOf(row))
  await dropTransfers(live, [...kept, ...unkept.filter((name) => name.chatRoomId === chatRoomId)])
}

/** Rows go with their files, which lie elsewhere where nothing moves. */
export async function forgetReceived(live: Live, chatRoomId: string, files: string[]): Promise<void> {
  const wanted = new Set(files)
  const open = [...(await keptRows(live)), ...unkeptTransfers(live).map(({ row }) => row)]
  const received = open.filter((row) => row.chatRoomId === chatRoomId && row.stage === 'done').map(nameOf)
  const named = (await live.vault.keys('sealed', transfersIn(chatRoomId))).map(nameIn)
  await dropTransfers(live, [...received, ...named.filter((name) => wanted.has(receivedFile(name)))])
}
