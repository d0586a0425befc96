import { ScanLine, ShieldAlert, UserRoundCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { ApiError } from '../../net/api.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toast.ts'
import { answerUse, confirmUse, loadUses } from './contactcodes.ts'
import { type ShownUse, usesStore } from './store.ts'

/** Reads who uses the account's code, as the server's news come [Note: I2]. */
export function useCodeUses(): ShownUse[] {
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
  const { uses, shownCodes } = useStore(usesStore)
  return shownCodes > 0 ? [] : uses
}

/** Asks beside the code that is shown, and nowhere else meanwhile. */
export function UsesHere() {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const count = (by: 1 | -1) => usesStore.setState(({ shownCodes }) => ({ shownCodes: shownCodes + by }))
    count(1)
    return () => count(-1)
  }, [])
  return (
    <div ref={place} className="uses-here" role="status" aria-label="Uses of your contact code" tabIndex={-1}>
      <ul className="notices">
        <UsesList focusNext={() => place.current?.focus()} />
      </ul>
    </div>
  )
}

/** Tells who has used the account's code, and asks whether it was the person there. */
export function UsesList({ focusNext }: { focusNext: () => void }) {
  const uses = useStore(usesStore, (state) => state.uses)
  return uses.map((use) => <OneUse key={use.id} use={use} focusNext={focusNext} />)
}

interface UseProps {
  use: ShownUse
  /** The pressed button disappears, so focus another element. */
  focusNext: () => void
}

export const handleOf = ({ username }: ShownUse): string => `@${username.toLowerCase()}`

export function titleOf(use: ShownUse): string {
  if (use.proven) return `Is ${use.displayName} here with you?`
  return use.proven === null ? `${handleOf(use)} used the token of your code` : `${handleOf(use)}: the proof of the scan is wrong`
}

function OneUse({ use, focusNext }: UseProps) {
  const env = useEnv()
  const [isPending, setPending] = useState(false)
  const name = handleOf(use)
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
  const Icon = use.proven === null ? UserRoundCheck : use.proven ? ScanLine : ShieldAlert
  return (
    <Notice
      icon={Icon}
      tone={use.proven === false ? 'danger' : undefined}
      title={<span dir="auto">{titleOf(use)}</span>}
      text={<UseWords use={use} />}
    >
      {use.proven && (
        <button
          type="button"
          className="btn compact primary"
          disabled={isPending}
          aria-label={`Yes, add and verify ${name}`}
          onClick={() => act(() => confirmUse(env, use))}
        >
          Yes
        </button>
      )}
      <button
        type="button"
        className="btn compact outline"
        disabled={isPending}
        aria-label={use.proven ? `No, it was not ${name}` : `OK, I know that ${name} used the code`}
        onClick={() => act(() => answerUse(env, use))}
      >
        {use.proven ? 'No' : 'OK'}
      </button>
    </Notice>
  )
}

function UseWords({ use }: { use: ShownUse }) {
  const who = (
    <>
      <bdi>{use.displayName}</bdi> ({handleOf(use)})
    </>
  )
  if (use.proven === null)
    return <>{who} added you by it. A token proves nothing about who they are: compare the safety number.</>
  if (!use.proven)
    return (
      <>
        {who} says that they scanned your code, and the proof is wrong. The server may show you another key than theirs. Ask them
        before you accept their request.
      </>
    )
  return <>{who} scanned your code. Yes adds and verifies them.</>
}
