import { useRef } from 'react'
import { Bubble } from '../chat/messages/Bubble.tsx'
import { Composer } from '../chat/messages/Composer.tsx'
import { MessageActs } from '../chat/messages/MessageActs.tsx'
import type { ShownMessage } from '../chat/messages/store.ts'
import { timelineLines } from '../chat/messages/timelineLines.ts'
import { useStaying } from '../chat/messages/useStaying.tsx'
import type { RoomRow } from '../rooms/list/roomList.ts'

interface Props {
  room: RoomRow
  messages: ShownMessage[]
  canWrite?: boolean
  hasPlan?: boolean
  onUpgrade?: () => void
}

/** Messages with what can be done with them, and the field, as a chat has them. */
export function Talk({ room, messages, canWrite = true, hasPlan = true, onUpgrade = () => undefined }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const lines = timelineLines({ messages: useStaying(messages), fresh: null, hasOlder: true })
  return (
    <>
      <div ref={scroller}>
        {lines.map((line, index) =>
          line.kind === 'message' ? (
            <div className="line" data-index={index} key={line.key}>
              <Bubble
                {...{ message: line.message, name: 'Bob', startsRun: true, hasTime: true, isTabStop: true, marks: undefined }}
                onUpgrade={onUpgrade}
              />
            </div>
          ) : null,
        )}
      </div>
      <MessageActs {...{ chatRoomId: room.id, scroller, lines, onUpgrade }} />
      {canWrite && <Composer {...{ room, isBlocked: false, hasPlan, onUpgrade }} />}
    </>
  )
}
