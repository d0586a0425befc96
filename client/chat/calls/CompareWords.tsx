import { Check, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { callStore } from './callState.ts'
import { wordsDiffer, wordsMatch } from './calls.ts'
import { useCallPerson } from './useCallPerson.tsx'
import { usePopover } from './usePopover.tsx'
import { useSeconds } from './useSeconds.tsx'
import { BOTH_SEE, COMPARED, differQuestion } from './viewWords.ts'

/** People greet each other first: nobody is asked to compare before. */
const QUIET_SECONDS = 5

interface ButtonProps {
  isOpen: boolean
  onPress: () => void
}

/** The four words of the call, which stand in its header always. */
export function WordsButton({ isOpen, onPress }: ButtonProps) {
  const words = useStore(callStore, (call) => call.words)
  const isCompared = useStore(callStore, (call) => call.isCompared)
  const since = useStore(callStore, ({ callStartTime }) => callStartTime)
  const isQuiet = useSeconds(since) < QUIET_SECONDS
  if (!words) return null
  return (
    <button
      type="button"
      className={isCompared ? 'call-words ok' : 'call-words'}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      data-opens="words"
      onClick={onPress}
    >
      <span className="small">
        {isCompared ? (
          <>
            <Check className="i i-14" aria-hidden />
            {COMPARED}
          </>
        ) : (
          !isQuiet && BOTH_SEE
        )}
      </span>
      <b>{words.join(' ')}</b>
    </button>
  )
}

/** The words large, to be read aloud. Asks once whether they match. */
export function CompareWords({ onClose }: { onClose: () => void }) {
  const env = useEnv()
  const { words, isCompared } = useStore(callStore)
  const { short } = useCallPerson()
  const [isAsking, setAsking] = useState(false)
  const [isPending, setPending] = useState(false)
  const title = useId()
  const first = useRef<HTMLButtonElement>(null)
  const sheet = usePopover('words', isAsking ? undefined : onClose)
  useEffect(() => first.current?.focus(), [])
  if (!words) return null
  const { title: question, text } = differQuestion(short)

  function match() {
    wordsMatch(env)
    onClose()
  }

  async function differ() {
    setPending(true)
    await wordsDiffer(env)
  }

  return (
    <section className="call-pop compare" role="dialog" aria-labelledby={title} ref={sheet}>
      <header>
        <h2 id={title}>{isCompared ? COMPARED : 'Read these to each other'}</h2>
        <IconButton icon={X} label="Close" onClick={onClose} />
      </header>
      <div className="four">
        {[...words.entries()].map(([at, word]) => (
          <b key={at}>{word}</b>
        ))}
      </div>
      <p>The same four on both sides: nobody stands between you on this call. They are new for every call.</p>
      {!isCompared && (
        <div className="two">
          <button type="button" className="btn outline" onClick={() => setAsking(true)}>
            They differ
          </button>
          <button type="button" className="btn primary" ref={first} onClick={match}>
            They match
          </button>
        </div>
      )}
      {isAsking && (
        <AlertDialog
          title={question}
          text={text}
          action="End and stop sending"
          pendingAction="Ending..."
          isPending={isPending}
          onConfirm={() => void differ()}
          onCancel={() => setAsking(false)}
        />
      )}
    </section>
  )
}
