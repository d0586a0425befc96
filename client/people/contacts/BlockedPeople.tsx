import { Ban } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { Blocked } from '../../../contract/chat/contacts.ts'
import { nameOf, peopleStore } from '../../rooms/trust/people.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { UnblockQuestion } from './BlockContact.tsx'
import { blockedPeople, unblockPerson } from './block.ts'

/** Everybody whom the account blocks, also who is on no list: a blocked request, and a contact that was removed. */
export function BlockedPeople({ ownId }: { ownId: string }) {
  const env = useEnv()
  const [blocked, setBlocked] = useState<Blocked[]>()
  const [failure, setFailure] = useState<string>()
  const [asked, setAsked] = useState<Blocked>()
  const people = useStore(peopleStore, (state) => state.people)
  const load = useCallback(async () => {
    try {
      setBlocked(await blockedPeople(env))
      setFailure(undefined)
    } catch (error) {
      setFailure(failureWords(error))
    }
  }, [env])
  useEffect(() => {
    const read = () => void load()
    read()
    // Another browser may block or unblock meanwhile, and what was missed is read when the connection is back.
    const offs = [env.socket.on('contacts', read), env.socket.on('hello', read)]
    return () => {
      for (const off of offs) off()
    }
  }, [env, load])

  function nameFor({ userId, username, isListed }: Blocked): string {
    const person = people.get(userId)
    return isListed && person ? nameOf(person) : `@${username.toLowerCase()}`
  }

  async function unblock(person: Blocked) {
    await unblockPerson(env, ownId, person)
    setBlocked((before) => before?.filter(({ userId }) => userId !== person.userId))
  }

  return (
    // It takes the focus where a pressed button has gone with its line.
    <div tabIndex={-1} className="stack tight">
      {failure ? (
        <p className="small t2" role="alert">
          {failure.replace(/[.]?$/, '.')}{' '}
          <button type="button" className="linkish" onClick={() => void load()}>
            Try again
          </button>
        </p>
      ) : !blocked ? (
        <p className="small t2">Loading...</p>
      ) : blocked.length === 0 ? (
        <p className="small t2">Nobody. You block somebody in their contact details or in the menu of their row.</p>
      ) : (
        <ul className="lines" aria-label="Blocked people">
          {blocked.map((person) => (
            <Line key={person.userId} person={person} name={nameFor(person)} onUnblock={() => setAsked(person)} />
          ))}
        </ul>
      )}
      {asked && (
        <UnblockQuestion
          name={nameFor(asked)}
          isListed={asked.isListed}
          onUnblock={() => unblock(asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}

function Line({ person, name, onUnblock }: { person: Blocked; name: string; onUnblock: () => void }) {
  const handle = `@${person.username.toLowerCase()}`
  return (
    <li>
      <Ban className="i" aria-hidden />
      <div>
        <b dir="auto">{name}</b>
        <p>{person.isListed ? name !== handle && handle : 'Not in your list'}</p>
      </div>
      <div className="acts">
        <button type="button" className="btn compact outline" aria-label={`Unblock ${name}`} onClick={onUnblock}>
          Unblock
        </button>
      </div>
    </li>
  )
}
