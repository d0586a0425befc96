import { ChevronLeft } from 'lucide-react'
import { Avatar } from '../../ui/Avatar.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { askAct } from './acts.ts'
import { isDoubtful, type RequestProps, useAnswer } from './Request.tsx'

/** A contact request in place of the chat. */
export function RequestPanel({ room, person, onLeave }: RequestProps & { onLeave: () => void }) {
  const { isPending, accept, decline } = useAnswer(room, person)
  const username = `@${person.username}`
  return (
    <>
      <header className="head">
        <IconButton icon={ChevronLeft} label="Back to contacts" className="back" onClick={onLeave} />
        <Avatar id={person.id} name={person.username} size={40} isOutlined />
        <div className="cut">
          <p className="asker cut">{username}</p>
          <p className="small t2">Wants to write to you</p>
        </div>
      </header>
      <div className="centre">
        <div className="hold">
          <h1 className="serif">{username} wants to write to you</h1>
          <p className="t2">
            {isDoubtful(person)
              ? 'You know somebody else by this username: this is another account. Accept it only if you know why.'
              : `${heldWords(room.unreadCount)}Until you accept, nothing tells them that you are here.`}
          </p>
          <div className="request-acts">
            <button type="button" className="btn outline" disabled={isPending} onClick={() => decline().then(onLeave)}>
              Ignore
            </button>
            <button type="button" className="btn primary" disabled={isPending} onClick={accept}>
              Accept
            </button>
          </div>
          <div className="request-acts">
            <button type="button" className="btn quiet danger-words" onClick={() => askAct('block', room.id)}>
              Block
            </button>
            <button type="button" className="btn quiet danger-words" onClick={() => askAct('report', room.id)}>
              Report
            </button>
          </div>
        </div>
      </div>
    </>
  )
}

const heldWords = (count: number): string =>
  count === 0 ? '' : count === 1 ? 'One message waits, sealed. ' : `${count} messages wait, sealed. `
