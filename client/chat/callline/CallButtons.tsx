import { Phone, Video } from 'lucide-react'
import type { DirectChat } from '../../rooms/list/members.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { askCall } from './askCall.ts'
import { useCallStop } from './useCallStop.tsx'

const KINDS = [
  { callType: 'voice', icon: Phone, words: 'Voice call' },
  { callType: 'video', icon: Video, words: 'Video call' },
] as const

/** `hasWords`: in an empty chat. */
export function CallButtons({ chat, hasWords = false }: { chat: DirectChat; hasWords?: boolean }) {
  const { isAbsent, why } = useCallStop(chat)
  if (isAbsent) return null
  const buttons = KINDS.map(({ callType, icon: Icon, words }) => {
    const label = why === undefined ? words : `${words}. ${why}`
    const call = () => askCall(chat.room, callType)
    const isDisabled = why !== undefined
    if (!hasWords)
      return <IconButton key={callType} icon={Icon} label={label} className="to-call" isDisabled={isDisabled} onClick={call} />
    return (
      <button key={callType} type="button" className="btn outline" aria-label={label} disabled={isDisabled} onClick={call}>
        <Icon className="i i-16" aria-hidden />
        {words}
      </button>
    )
  })
  return hasWords ? <div className="to-call-acts">{buttons}</div> : buttons
}
