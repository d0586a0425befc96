import { Info, ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { noteFocus } from '../../ui/opener.ts'
import { showToast } from '../../ui/toast.ts'
import type { Fork } from '../../worker/crypto.ts'
import type { RoomRow } from '../list/roomList.ts'
import { nameOf, personById } from '../trust/people.ts'
import { answerForks, provenOf } from './showForks.ts'
import './showForks.css'

interface Props {
  room: RoomRow
  onAnswered: () => void
}

/** Asks about device lists that contradict each other [Note: D2]. */
export function ForkQuestion({ room, onAnswered }: Props) {
  const proven = provenOf(room.forks)
  return proven.length > 0 ? <Proven {...{ room, proven, onAnswered }} /> : <Claimed room={room} />
}

/** Somebody’s browser names a list that nobody has shown. That stops nothing. */
function Claimed({ room }: Pick<Props, 'room'>) {
  const env = useEnv()
  const lines = [...new Set(room.forks.map((fork) => claimOf(room, fork)))]
  async function close() {
    const giveBack = noteFocus()
    try {
      await answerForks(env, room, room.forks)
      requestAnimationFrame(giveBack)
    } catch (error) {
      showToast({ tone: 'bad', title: 'Your answer was not kept', text: failureWords(error) })
    }
  }
  return (
    <div className="blocked">
      <Note icon={Info} role="status">
        {lines.map((line) => (
          <strong key={line}>{line} </strong>
        ))}
        <span className="why">That proves nothing: no such list with its signature was shown. Everything goes on. </span>
        <button type="button" className="linkish" onClick={() => void close()}>
          Close
        </button>
      </Note>
    </div>
  )
}

function claimOf({ ownId }: RoomRow, { userId, by }: Fork): string {
  const namer = by === ownId ? 'Another browser of yours' : `${nameBy(by)}’s browser`
  if (userId === ownId) return `${namer} names a list of yours that you do not know.`
  return `${namer} names a list of ${userId === by ? 'its own account' : nameBy(userId)} that you do not know.`
}

function nameBy(userId = ''): string {
  const person = personById(userId)
  return person ? nameOf(person) : 'Somebody'
}

/** Two signed lists of a member have the same number. Nothing is sent before the answer. */
function Proven({ room, proven, onAnswered }: Props & { proven: Fork[] }) {
  const [asked, setAsked] = useState<Fork[]>()
  const userIds = [...new Set(proven.map(({ userId }) => userId))]
  return (
    <div className="blocked">
      <Note icon={ShieldAlert} tone="danger" role="alert">
        {userIds.map((userId) => (
          <strong key={userId}>{titleOf(room, userId)} </strong>
        ))}
        <span className="why">Nothing is sent in this chat until you decide; what you have written waits on this device. </span>
        <button type="button" className="linkish" onClick={() => setAsked(proven)}>
          Decide
        </button>
      </Note>
      {asked && <Question room={room} forks={asked} onAnswered={onAnswered} onClose={() => setAsked(undefined)} />}
    </div>
  )
}

function titleOf({ ownId }: RoomRow, userId: string): string {
  if (userId === ownId) return 'Two lists of your own browsers have the same number: somebody else may hold your keys.'
  return `Two device lists of @${personById(userId)?.username} have the same number: somebody else may hold their keys.`
}

function adviceOf({ ownId }: RoomRow, forks: Fork[]): string {
  const other = forks.map(({ userId }) => userId).find((userId) => userId !== ownId)
  const person = other === undefined ? undefined : personById(other)
  if (!person)
    return 'Look through your browsers in the settings and remove those that you do not know. If somebody else holds your keys, only a new account ends that.'
  const name = nameOf(person)
  return `Ask ${name} in another way, face to face or on the phone, which browsers are theirs. If somebody else holds their keys, only a new account of ${name} ends that.`
}

interface QuestionProps extends Props {
  forks: Fork[]
  onClose: () => void
}

function Question({ room, forks, onAnswered, onClose }: QuestionProps) {
  const env = useEnv()
  const [isPending, setPending] = useState(false)

  async function answer() {
    setPending(true)
    try {
      await answerForks(env, room, forks)
      onAnswered()
      onClose()
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'Your decision was not kept', text: failureWords(error) })
    }
  }

  return (
    <AlertDialog
      title="Send all the same?"
      text={adviceOf(room, forks)}
      action="Send all the same"
      pendingAction="Deciding..."
      isPending={isPending}
      onConfirm={answer}
      onCancel={onClose}
    >
      <dl className="answers">
        <dt>Send all the same</dt>
        <dd>
          Messages go out again, sealed for the browsers on the list that this browser knows. These two lists are not reported in
          this chat again.
        </dd>
        <dt>Cancel</dt>
        <dd>Nothing is sent. What you have written stays on this device, and so does this question.</dd>
      </dl>
    </AlertDialog>
  )
}
