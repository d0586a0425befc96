import { randomUUID } from 'node:crypto'
import type { NewMessage } from '../chat/rooms/append.ts'
import { hashOfToken } from '../ground/http/cookie.ts'
import type { Browser } from './browser.ts'

/** A message for the append itself, sent by this person's session. */
export const newMessage = (chatRoomId: string, sender: Browser & { id: string }, more: Partial<NewMessage> = {}): NewMessage => ({
  ...{ id: randomUUID(), chatRoomId, senderId: sender.id, session: sessionOf(sender), content: 'x', messageType: 'text' },
  ...{
    fileId: null,
    filePath: null,
    fileName: null,
    fileSize: null,
    replyToId: null,
    sealedFor: null,
    isSilent: false,
    takesBack: null,
    lifetime: null,
    isOnce: false,
    opens: null,
  },
  isCounted: !more.isSilent,
  ...more,
})

const sessionOf = ({ cookie = '' }: Browser): Buffer => Buffer.from(hashOfToken(cookie.slice(cookie.indexOf('=') + 1)), 'hex')
