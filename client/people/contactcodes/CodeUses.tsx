import { ScanLine, ShieldAlert, UserRoundCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { ApiError } from '../../net/api.ts'
import { isRequest, personIdOfDirect } from '../../rooms/list/room.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import '../../ui/news.css'
import { showToast } from '../../ui/toast.ts'
import { answerUse, confirmUse, loadUses } from './contactcodes.ts'
import { type ShownUse, usesStore } from './store.ts'

/** Tells of uses of the account's code where the person is, as the server's news come [Note: I2]. */
export function CodeUses() {
  const env = useEnv()
  useEffect(() => {
    const read = () =>
      void loadUses(env).catch((error: unknown) => {
        // What is missed while there is no connection is read at the next hello.
        if (!(error instanceof ApiError)) throw error
      })
    read()
    const offs = [env.socket.on('code', read), env.socket.on('hello', read)]
    return () => {
      for (const off of offs) off()
    }
  }, [env])
  return <UsesList />
}

/** Tells who has used the account's code, and asks whether it was the person there. */
export function UsesList() {
  const place = useRef<HTMLDivElement>(null)
  const uses = useStore(usesStore, (state) => state.uses)
  return (
    <div ref={place} className="news" role="status" aria-label="Uses of your contact code" tabIndex={-1}>
      {uses.map((use) => (
        <OneUse key={use.id} use={use} focusNext={() => place.current?.focus()} />
      ))}
    </div>
  )
}

interface UseProps {
  use: ShownUse
  /** The pressed button disappears, so focus another element. */
  focusNext: () => void
}

function OneUse({ use, focusNext }: UseProps) {
  const env = useEnv()
  const [isPending, setPending] = useState(false)
  const name = `@${use.username.toLowerCase()}`
  async function act(verb: () => Promise<void>) {
    setPending(true)
    try {
      await verb()
      focusNext()
    } catch (error) {
      showToast({ tone: 'bad', title: 'Your answer was not kept', text: failureWords(error) })
      setPending(false)
    }
  }
  async function refuse(): Promise<void> {
    await answerUse(env, use)
    // Somebody who was a contact before stays one: "no" takes nothing away.
    const room = [...roomsStore.getState().rooms.values()].find((row) => personIdOfDirect(row) === use.userId)
    const text =
      room && !isRequest(room) ? 'They stay in your list.' : 'Their request waits in your list: accept, ignore or block it.'
    showToast({ tone: 'plain', title: `${name}: added by code, not verified`, text })
  }
  const Icon = use.proven === null ? UserRoundCheck : use.proven ? ScanLine : ShieldAlert
  return (
    <div className={use.proven === false ? 'note danger' : 'note'}>
      <Icon className="i i-16" aria-hidden />
      <div>
        <p>
          <UseWords use={use} name={name} />
        </p>
        <div className="acts">
          {use.proven && (
            <button
              type="button"
              className="btn compact primary"
              disabled={isPending}
              onClick={() => act(() => confirmUse(env, use))}
            >
              Yes, it is
            </button>
          )}
          <button
            type="button"
            className="btn compact outline"
            disabled={isPending}
            aria-label={use.proven ? `No, it was not ${name}` : `OK, I know that ${name} used the code`}
            onClick={() => act(use.proven ? refuse : () => answerUse(env, use))}
          >
            {use.proven ? 'No' : 'OK'}
          </button>
        </div>
      </div>
    </div>
  )
}

function UseWords({ use: { displayName, proven }, name }: { use: ShownUse; name: string }) {
  const who = (
    <strong>
      <bdi>{displayName}</bdi> ({name})
    </strong>
  )
  if (proven === null)
    return <>{who} added you by the token of your code. A token proves nothing about who they are: compare the safety number.</>
  if (!proven)
    return (
      <>
        <strong>{name} says that they scanned your code, and the proof is wrong.</strong> The server may show you another key than
        theirs. Ask them before you accept their request.
      </>
    )
  return <>{who} scanned your code. Is it the person before you?</>
}
