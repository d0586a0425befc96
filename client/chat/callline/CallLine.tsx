import { Phone, PhoneMissed, PhoneOutgoing, Video } from 'lucide-react'
import type { CallContent } from '../../../contract/chat/content.ts'
import { isMissed } from '../../../contract/chat/kinds/call.ts'
import { clockTime, moment } from '../../ui/time.ts'
import { CallAgain } from './CallAgain.tsx'
import { againWords, callDetails } from './lineWords.ts'
import './callLine.css'

interface Props {
  message: { isMine: boolean; at: string }
  body: { call: CallContent; text: string; chatRoomId: string }
}

/** A call in the timeline: kind, time, length and words; a missed one red, with Call back. */
export function CallLine({ message: { isMine, at }, body: { call, text, chatRoomId } }: Props) {
  const isBad = isMissed(call, isMine)
  const again = againWords(call, isMine)
  const time = new Date(at)
  return (
    <div className={isBad ? 'bub call-line bad' : 'bub call-line'}>
      <CallIcon call={call} isMine={isMine} />
      <p>
        <b>{text}</b>
        <small>
          <time dateTime={at} title={moment(time)}>
            {clockTime(time)}
          </time>
          {callDetails(call, isMine).map((detail) => ` · ${detail}`)}
        </small>
      </p>
      {again && <CallAgain chatRoomId={chatRoomId} callType={call.callType} words={again} />}
    </div>
  )
}

export function CallIcon({ call, isMine }: { call: CallContent; isMine: boolean }) {
  const hasTaken = call.outcome === 'answered'
  const Icon = isMissed(call, isMine)
    ? PhoneMissed
    : call.callType === 'video'
      ? Video
      : isMine && !hasTaken
        ? PhoneOutgoing
        : Phone
  return (
    <span className="call-icon">
      <Icon className="i" aria-hidden />
    </span>
  )
}
