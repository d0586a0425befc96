import { useEffect, useRef, useState } from 'react'
import { acceptNewKey } from '../contacts/contacts.ts'
import { Chat } from '../messages/Chat.tsx'
import { closeRoom, openRoom } from '../messages/messages.ts'
import { flush } from '../messages/send.ts'
import { type ContactRow, nameOf } from '../rooms/rows.ts'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'

interface Props {
  row: ContactRow
  /** The reader's own plan allows sending. */
  canSend: boolean
  onBack: () => void
}

/** Opens the conversation of one contact, and closes it when another one comes. */
export function Room({ row, canSend, onBack }: Props) {
  const env = useEnv()
  const latest = useRef(row)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    latest.current = row
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another room or another attempt opens it; news about the contact does not
  useEffect(() => {
    openRoom(env, latest.current).catch((error) =>
      showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) }),
    )
    return () => void closeRoom(env)
  }, [env, row.chatRoomId, attempt])

  async function acceptKey() {
    await acceptNewKey(env, row)
    // What waited for the decision goes out now.
    void flush(env, row.chatRoomId)
  }

  const { contactUser } = row
  return (
    <Chat
      chatRoomId={row.chatRoomId}
      canSend={canSend}
      unreadCount={row.unreadCount}
      onBack={onBack}
      onRetry={() => setAttempt(attempt + 1)}
      onAcceptKey={acceptKey}
      person={{
        id: row.contactUserId,
        name: nameOf(row),
        username: contactUser.username,
        isOnline: contactUser.isOnline,
        lastSeen: contactUser.lastSeen,
        isTyping: row.isTyping,
        onionAddress: contactUser.identityKey ? contactUser.onionAddress : null,
        keyChanged: row.keyChanged,
        isVerified: row.isVerified,
        isDeleted: contactUser.isDeleted,
      }}
    />
  )
}
