import { ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { showToast } from '../../ui/toast.ts'
import type { Fork } from '../../worker/crypto.ts'
import type { RoomRow } from '../list/roomList.ts'
import { nameOf, personById } from '../trust/people.ts'
import { answerForks } from './showForks.ts'
import './showForks.css'

interface Props {
  room: RoomRow
  onAnswered: () => void
}

/** Two device lists of a member have the same number. Nothing is sent before the answer [Note: D2]. */
export function ForkQuestion({ room, onAnswered }: Props) {
  const [asked, setAsked] = useState<Fork[]>()
  const userIds = [...new Set(room.forks.map(({ userId }) => userId))]
  return (
    <div className="blocked">
      <Note icon={ShieldAlert} tone="danger" role="alert">
        {userIds.map((userId) => (
          <strong key={userId}>{titleOf(room, userId)} </strong>
        ))}
        <span className="why">Nothing is sent in this chat until you decide; what you have written waits on this device. </span>
        <button type="button" className="linkish" onClick={() => setAsked(room.forks)}>
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
