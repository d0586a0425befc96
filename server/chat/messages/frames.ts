import { messagesApi } from '../../../contract/chat/messages.ts'
import type { Env } from '../../env.ts'
import { takeRates } from '../../ground/http/limits.ts'
import type { FrameHandlers } from '../../ground/realtime/listen.ts'
import { sendMessage } from './messages.ts'
import { passTyping } from './typing.ts'

/** Known messages go to the asking socket alone. */
export const messageFrames = (env: Env): Pick<FrameHandlers, 'message' | 'typing'> => ({
  async message(user, draft) {
    await takeRates(env.limits, messagesApi.send, user, draft)
    const { message, isNew } = await sendMessage(env, user, draft)
    return isNew ? undefined : { type: 'message', data: message }
  },
  async typing(user, { chatRoomId, isTyping }) {
    await passTyping(env, user, chatRoomId, isTyping)
    return undefined
  },
})
