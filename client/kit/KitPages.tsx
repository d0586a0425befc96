import { CircleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { Note } from '../ui/Note.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { fullDay } from '../ui/time.ts'
import { KitCheck } from './KitCheck.tsx'
import { KitPage } from './KitPage.tsx'
import './kit.css'

interface Props {
  heading: 'h1' | 'h3'
  username: string
  pendingWords: string
  /** Adds the kit after the person has proven to have the words. Its errors are shown, and the words stay. */
  onRight: () => Promise<void>
  /** The button to continue without a kit, with its warning. It is shown below the words, not on the page that checks them. */
  children: ReactNode
}

/** The pages of a new kit: its words, then three of them to type. Only these pages hold the words. */
export function KitPages({ heading: Heading, username, pendingWords, onRight, children }: Props) {
  const env = useEnv()
  const title = useRef<HTMLHeadingElement>(null)
  const [words, setWords] = useState<readonly string[]>()
  const [failure, setFailure] = useState<string>()
  const [isWritten, setWritten] = useState(false)
  const madeOn = fullDay(env.clock())

  useEffect(() => {
    let isShown = true
    env.crypto.newKit().then(
      (kit) => isShown && setWords(kit.words),
      (error: unknown) => isShown && setFailure(failureWords(error)),
    )
    return () => {
      isShown = false
    }
  }, [env])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page begins at its heading
  useEffect(() => {
    title.current?.focus()
    title.current?.scrollIntoView({ block: 'nearest' })
  }, [isWritten])

  return (
    <section className="step kit" aria-labelledby="kit-title">
      <Heading id="kit-title" ref={title} tabIndex={-1}>
        {isWritten ? 'Type three of the words' : 'Your recovery kit'}
      </Heading>
      {failure && (
        <Note icon={CircleAlert} tone="danger" role="alert">
          <strong>The kit could not be made.</strong> {failure}
        </Note>
      )}
      {!words && !failure && <Spinner words="Making a kit" />}
      {words && !isWritten && (
        <KitPage words={words} username={username} madeOn={madeOn} onWritten={() => setWritten(true)}>
          {children}
        </KitPage>
      )}
      {words && isWritten && (
        <KitCheck words={words} pendingWords={pendingWords} onRight={onRight} onBack={() => setWritten(false)} />
      )}
      {failure && children}
    </section>
  )
}
