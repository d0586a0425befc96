import { type ReactNode, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { lifetimeWords } from '../../../contract/chat/lifetimewords.ts'
import type { Room } from '../../rooms/list/room.ts'
import { nameOf, peopleStore } from '../../rooms/trust/people.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { moment } from '../../ui/time.ts'
import type { Signer, Wording } from '../../worker/crypto.ts'
import './messagedetails.css'
import { namesOf } from './reactions.ts'
import { remarksOf, writtenAt } from './remarks.ts'
import { messagesStore, type ShownMessage } from './store.ts'

interface Props {
  room: Room
  message: ShownMessage
  onClose: () => void
}

const disappears = ({ seconds, endsMs }: NonNullable<ShownMessage['lifetime']>): string =>
  endsMs === undefined ? `${lifetimeWords(seconds)} after you have read it` : moment(new Date(endsMs))

type Found = Signer | 'removed' | 'unknown'

/** undefined: not known yet, or not noted. */
function useSigner({ senderId, deviceId }: ShownMessage): Found | undefined {
  const env = useEnv()
  const [signer, setSigner] = useState<Found>()
  useEffect(() => {
    let isShown = true
    if (senderId !== undefined && deviceId !== undefined)
      env.crypto.signerOf({ userId: senderId, deviceId }).then(
        (found) => isShown && setSigner(found),
        () => undefined,
      )
    return () => {
      isShown = false
    }
  }, [env, senderId, deviceId])
  return signer
}

function signerWords(signer: Found, isMine: boolean, name: string): ReactNode {
  if (signer === 'unknown') return `A browser that is not in ${isMine ? 'your' : `${name}’s`} list here`
  if (signer === 'removed') return isMine ? 'A browser that you have removed since' : `A browser that ${name} has removed since`
  return (
    <>
      <span dir="auto">{signer.isThis ? 'This browser' : (signer.name ?? `A browser of ${name}`)}</span>{' '}
      <span className="mono t2">{signer.key}</span>
    </>
  )
}

const isSame = (one: ShownMessage, other: ShownMessage) => one.id === other.id && one.senderId === other.senderId

const ROUTES: Record<string, string> = { onion: 'Via Tor', direct: 'Not via Tor' }

/** What is known of a message: its times, its way, who signed and who reacted, and what it said before. */
export function MessageDetails({ room, message: given, onClose }: Props) {
  const env = useEnv()
  const message = useStore(messagesStore, ({ open }) => open?.messages.find((one) => isSame(one, given))) ?? given
  const people = useStore(peopleStore, (state) => state.people)
  const [earlier, setEarlier] = useState<Wording[]>()
  const { id, senderId, status, isMine, edited, reactions = [], at, lifetime, body, opened, listened, route } = message
  useEffect(() => {
    let isShown = true
    const found =
      edited && senderId !== undefined ? env.crypto.earlierWords({ chatRoomId: room.id, senderId, id }) : Promise.resolve([])
    found.then(
      (words) => isShown && setEarlier(words),
      () => isShown && setEarlier([]),
    )
    return () => {
      isShown = false
    }
  }, [env, room.id, senderId, id, edited])

  const sender = people.get(senderId ?? '')
  const written = writtenAt(message)
  const name = sender ? nameOf(sender) : 'the sender'
  const { below, details } = remarksOf(message, name)
  const signer = useSigner(message)
  // Who hides read marks is not told of: it may be there.
  const isThere = (reached: string[]) => (status && reached.includes(status) ? 'Yes' : 'Nothing heard yet')
  const rows: [name: string, value: ReactNode][] = [
    [isMine ? 'Sent' : 'Received by the server', `${moment(new Date(at))}${written ? `, ${written}` : ''}`],
    ...(status
      ? ([
          ['Delivered', isThere(['delivered', 'read'])],
          ['Read', isThere(['read'])],
        ] as [string, string][])
      : []),
    ...(body.kind === 'once'
      ? ([['Opened', opened ? moment(new Date(opened)) : isMine || body.once.file ? 'Not yet' : 'No longer there']] as [
          string,
          string,
        ][])
      : []),
    ...(signer === undefined ? [] : ([['Signed by', signerWords(signer, isMine, name)]] as [string, ReactNode][])),
    ...(route && ROUTES[route]
      ? ([[typeof signer === 'object' && signer.isThis ? 'Route from this browser' : 'Route to this browser', ROUTES[route]]] as [
          string,
          string,
        ][])
      : []),
    ...(listened ? ([['Listened to', moment(new Date(listened))]] as [string, string][]) : []),
    ...(lifetime ? ([['Disappears', disappears(lifetime)]] as [string, string][]) : []),
    ...reactions.map(({ emoji, userIds }): [string, ReactNode] => [emoji, namesOf(userIds, room.ownId, people)]),
  ]
  return (
    <Dialog title="Message details" onClose={onClose}>
      <dl className="message-details">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {[...below, ...details].map((remark) => (
        <p className="small t2" key={remark}>
          {remark}
        </p>
      ))}
      {earlier && earlier.length > 0 && (
        <section aria-label="What it said before">
          <h3 className="small">What it said before</h3>
          <ol className="wordings">
            {earlier.map(({ at: time, text }) => (
              <li key={time}>
                <time dateTime={time}>{moment(new Date(time))}</time>
                <p dir="auto">{text || 'No caption'}</p>
              </li>
            ))}
          </ol>
        </section>
      )}
    </Dialog>
  )
}
