import type { Live } from '../keys/live.ts'
import { type NamedList, recordWrite } from '../vault/storedRoom.ts'
import { isSameList } from './forks.ts'
import { type Place, withRoom } from './roomState.ts'

/** The person goes on despite these forks: this room never reports the same two lists again [Note: D2]. */
export function answerForks(live: Live, { chatRoomId, peerIds, forks }: Place & { forks: NamedList[] }): Promise<void> {
  return withRoom(live, chatRoomId, peerIds, async ({ record }) => {
    if (!record) return
    const answered = record.forks?.map((fork) =>
      forks.some((one) => isSameList(one, fork)) ? { ...fork, isAnswered: true } : fork,
    )
    await live.vault.write([recordWrite(chatRoomId, { ...record, ...(answered && { forks: answered }) })])
  })
}
