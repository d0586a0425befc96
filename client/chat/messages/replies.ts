import type { Quote } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import type { Options } from '../files/sendFile.ts'
import { makeKeptChoice } from './keptChoice.ts'

type Carried = Pick<Options, 'quote' | 'onKept'>

/** What the next message replies to; null: nothing. */
export const {
  store: replyStore,
  shown: replyIn,
  show: showReply,
  open: openReply,
  choose: chooseReply,
} = makeKeptChoice<Quote>({
  read: (env, chatRoomId) => env.crypto.readReply(chatRoomId),
  keep: (env, chatRoomId, quote) => env.crypto.keepReply({ chatRoomId, quote }),
})

/** Sends a file, or several, as a reply if one is chosen. It comes back if this browser does not keep the first. */
export async function withReply(env: Env, chatRoomId: string, send: (more: Carried) => Promise<unknown>): Promise<void> {
  const quote = replyIn(chatRoomId)
  if (!quote) return void (await send({}))
  let isKept = false
  showReply(chatRoomId, null)
  const onKept = () => {
    isKept = true
    // Another may have been chosen meanwhile.
    if (!replyIn(chatRoomId)) void chooseReply(env, chatRoomId, null)
  }
  await send({ quote, onKept })
  if (!isKept && !replyIn(chatRoomId)) showReply(chatRoomId, quote)
}
