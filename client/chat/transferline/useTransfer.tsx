import { useEffect } from 'react'
import { useStore } from 'zustand'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { useDirectChat } from '../../rooms/list/useFace.tsx'
import { nameOf } from '../../rooms/trust/people.ts'
import { useEnv } from '../../ui/env.tsx'
import { CryptoFailure } from '../../worker/crypto.ts'
import { type Transfer, transferStore } from './transferState.ts'
import { type SaidTransfer, transferVerbs } from './transferVerbs.ts'

/** What is known of the transfer of a message. undefined until that was looked up. */
export function useTransfer({ content, chatRoomId, isMine, at }: SaidTransfer): Transfer | undefined {
  const env = useEnv()
  const { transferId } = content
  const transfer = useStore(transferStore, ({ transfers }) => transfers.get(transferId))
  const isKnown = transfer !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id is the transfer
  useEffect(() => {
    if (isKnown) return
    const look = async () => {
      const rows = await env.crypto.transferRows()
      const { knowTransfer } = await transferVerbs()
      await knowTransfer(
        env,
        { content, chatRoomId, isMine, at },
        rows.find((row) => row.chatRoomId === chatRoomId && row.content.transferId === transferId),
      )
    }
    // A chat that was locked meanwhile shows no line.
    look().catch((error: unknown) => {
      if (!(error instanceof CryptoFailure)) throw error
    })
  }, [env, transferId, chatRoomId, isKnown])
  return transfer
}

/** The other person’s name, as sentences have it. */
export function useOtherName(chatRoomId: string): string {
  const chat = useDirectChat(useStore(roomsStore, ({ rooms }) => rooms.get(chatRoomId)))
  const name = chat ? nameOf(chat.person) : ''
  return name.split(/\s+/)[0] || name || 'The other person'
}
