import { Check, Search } from 'lucide-react'
import { type FormEvent, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import { hasRight } from '../../../contract/money/plans.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { isNamed } from '../../rooms/list/isNamed.ts'
import { faceOf, peopleOf } from '../../rooms/list/members.ts'
import { openNotes } from '../../rooms/list/notes.ts'
import { isNotes, NOTES } from '../../rooms/list/room.ts'
import { roomById, roomsStore, sortRooms } from '../../rooms/list/roomList.ts'
import { provenOf } from '../../rooms/log/showForks.ts'
import { peopleStore } from '../../rooms/trust/people.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { failureWordsOr } from '../../ui/failure.ts'
import { NotesMark } from '../../ui/NotesMark.tsx'
import { showToast } from '../../ui/toast.ts'
import { forwardTo, openForwarded, takesForwarded } from './forward.ts'
import type { ShownMessage } from './store.ts'
import './checkcircle.css'
import './forwarddialog.css'
import { forwardedWords } from './forwardedWords.ts'

/** Chats at once. */
const CHATS_MAX = 5
/** Rows of a list. */
const SHOWN_MAX = 100
/** The notes, which may not be there yet. */
const OWN = 'own'

interface Props {
  messages: ShownMessage[]
  onUpgrade: () => void
  onForwarded?: () => void
  onClose: () => void
}

/** Asks which chats get the messages. */
export function ForwardDialog({ messages, onUpgrade, onForwarded, onClose }: Props) {
  const env = useEnv()
  const targets = useTargets()
  const [query, setQuery] = useState('')
  /** Names by id. */
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map())
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState('')
  const canSend = useStore(accountStore, ({ user }) => user !== null && hasRight(user.subscriptionTier, 'send'))
  const matching = targets.filter(({ isAsked }) => isAsked(query))
  const isOn = ({ id }: { id: string }) => chosen.has(id)
  // A search hides nothing that is chosen.
  const all = query.trim() === '' ? targets : [...targets.filter(isOn), ...matching.filter((target) => !isOn(target))]
  const found = all.slice(0, SHOWN_MAX)
  const isFull = chosen.size >= CHATS_MAX

  const toggle = (id: string, name: string) =>
    setChosen((before) => new Map(before.has(id) ? [...before].filter(([one]) => one !== id) : [...before, [id, name]]))

  async function forward(event: FormEvent) {
    event.preventDefault()
    if (chosen.size === 0 || isPending) return
    const hasFile = messages.some(({ body }) => body.kind === 'file')
    if (!canSend && (hasFile || [...chosen.keys()].some((id) => id !== OWN))) {
      onClose()
      return onUpgrade()
    }
    setPending(true)
    setFailure('')
    const sent: string[] = []
    const missed: string[] = []
    try {
      const opened = await openForwarded(env, messages)
      for (const [id, name] of chosen) {
        const room = roomById(id === OWN ? await openNotes(env) : id)
        // It may have been locked or removed meanwhile.
        if (!room || !takesForwarded(room)) missed.push(name)
        else if (await forwardTo(env, room, opened, onUpgrade)) sent.push(name)
        // What comes after a failure is not sent twice.
        toggle(id, name)
      }
      if (sent.length > 0) showToast({ tone: 'good', title: 'Forwarded', text: `To ${sent.join(', ')}` })
      if (missed.length > 0) {
        setFailure(`Nothing can be written to ${missed.join(', ')} now.`)
        return setPending(false)
      }
      onForwarded?.()
      onClose()
    } catch (error) {
      setFailure(failureWordsOr(error, 'It could not be opened, and was not forwarded. Please try again.'))
      setPending(false)
    }
  }

  return (
    <Dialog title="Forward" text="It says “Forwarded”, and not from whom." onClose={onClose}>
      <form className="form" noValidate onSubmit={(event) => void forward(event)}>
        <label className="input">
          <Search className="i i-16" aria-hidden />
          <input
            type="search"
            dir="auto"
            placeholder="Search contacts"
            aria-label="Search contacts"
            autoComplete="off"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        </label>
        <ul className="forward-list">
          {found.map(({ id, name, face, isOwn }) => {
            const isChosen = chosen.has(id)
            return (
              <li key={id}>
                <label>
                  {isOwn ? <NotesMark size={36} /> : <Avatar id={face.id} name={name} photo={face.photo} size={36} />}
                  <span className="cut" dir="auto">
                    {name}
                  </span>
                  <input
                    type="checkbox"
                    className="sr"
                    checked={isChosen}
                    disabled={isPending || (isFull && !isChosen)}
                    onChange={() => toggle(id, name)}
                  />
                  <span className="check-circle" aria-hidden>
                    {isChosen && <Check className="i i-14" />}
                  </span>
                </label>
              </li>
            )
          })}
        </ul>
        {(matching.length === 0 || all.length > found.length) && (
          <p className="small t2" role="status">
            {matching.length === 0 ? 'Nobody found' : `${all.length - found.length} more: search for them`}
          </p>
        )}
        <p className="forward-what" dir="auto">
          {forwardedWords(messages)}
        </p>
        <p className={failure ? 'help bad' : 'help'} role={failure ? 'alert' : 'status'}>
          {failure || (isFull ? `To at most ${CHATS_MAX} chats at once` : '')}
        </p>
        <FormFooter
          action={chosen.size > 1 ? `Send to ${chosen.size}` : 'Send'}
          pendingAction="Sending..."
          isPending={isPending}
          isOff={chosen.size === 0}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}

/** The own notes, then the chats in the order of the list. */
function useTargets() {
  const rooms = useStore(roomsStore, (state) => state.rooms)
  const people = useStore(peopleStore, (state) => state.people)
  const ofOthers = useMemo(
    () =>
      sortRooms(rooms.values()).flatMap((room) => {
        const face = faceOf(room, people)
        const known = peopleOf(room, people)
        const isStopped = provenOf(room.forks).length > 0 || known.some(({ mismatch }) => mismatch !== null)
        if (!face || isNotes(room) || isStopped || !takesForwarded(room)) return []
        return [{ id: room.id, name: face.name, face, isOwn: false, isAsked: (query: string) => isNamed(room, known, query) }]
      }),
    [rooms, people],
  )
  const isAsked = (query: string) => NOTES.toLowerCase().includes(query.trim().toLowerCase())
  return [{ id: OWN, name: NOTES, face: { id: OWN, photo: null }, isOwn: true, isAsked }, ...ofOthers]
}
