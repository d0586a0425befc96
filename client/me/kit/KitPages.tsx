import { Check, CircleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { fullDay } from '../../ui/time.ts'
import { KitCheck } from './KitCheck.tsx'
import { KitPage } from './KitPage.tsx'
import { KitSeal } from './KitSeal.tsx'
import { hasUncheckedKit, noteKitShown } from './uncheckedKit.ts'
import './kit.css'

const STEPS = ['words', 'check', 'sealed'] as const
type Step = (typeof STEPS)[number]
const TITLES: Record<Step, string> = {
  words: 'Your recovery kit',
  check: 'Type three of the words',
  sealed: 'Your recovery kit is made',
}
const MARKS: Record<Step, string> = { words: 'Write down', check: 'Check', sealed: 'Put away' }

interface Props {
  heading: 'h1' | 'h3'
  username: string
  /** Above the title, where the kit is a part of something longer: "Step 2 of 2". */
  part?: string
  pendingWords: string
  /** Adds the kit after the person has proven to have the words. Its errors are shown, and the words stay. */
  onRight: () => Promise<void>
  /** Leaves the seal at the end. Without it `onRight` leads elsewhere. */
  onDone?: () => void
  /** The button to continue without a kit. It is shown with the words, not on the page that checks them. */
  children: ReactNode
}

/** The pages of a new kit: its words, then three of them to type, then the seal. Only these pages hold the words. */
export function KitPages({ heading: Heading, username, part, pendingWords, onRight, onDone, children }: Props) {
  const env = useEnv()
  const title = useRef<HTMLHeadingElement>(null)
  const [words, setWords] = useState<readonly string[]>()
  const [failure, setFailure] = useState<string>()
  const [step, setStep] = useState<Step>('words')
  const [hasUnchecked] = useState(hasUncheckedKit)
  const madeOn = fullDay(env.clock())

  useEffect(() => {
    let isShown = true
    env.crypto.newKit().then(
      (kit) => {
        if (!isShown) return
        setWords(kit.words)
        noteKitShown()
      },
      (error: unknown) => isShown && setFailure(failureWords(error)),
    )
    return () => {
      isShown = false
    }
  }, [env])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page begins anew
  useEffect(() => {
    const field = title.current?.parentElement?.querySelector<HTMLElement>('.kit-check input')
    ;(field ?? title.current)?.focus()
    title.current?.scrollIntoView({ block: 'nearest' })
  }, [step])

  async function check() {
    await onRight()
    if (onDone) setStep('sealed')
  }

  return (
    <section className={`step kit kit-pages at-${step}`} aria-labelledby="kit-title">
      {part && <p className="small t2">{part}</p>}
      <Steps now={step} hasSeal={onDone !== undefined} />
      <Heading id="kit-title" ref={title} tabIndex={-1}>
        {TITLES[step]}
      </Heading>
      {failure && (
        <Note icon={CircleAlert} tone="danger" role="alert">
          <strong>The kit could not be made.</strong> {failure}
        </Note>
      )}
      {!words && !failure && <Spinner words="Making a kit" />}
      {words && step === 'words' && (
        <KitPage {...{ words, username, madeOn, hasUnchecked }} onWritten={() => setStep('check')}>
          {children}
        </KitPage>
      )}
      {words && step === 'check' && (
        <KitCheck words={words} pendingWords={pendingWords} onRight={check} onBack={() => setStep('words')} />
      )}
      {step === 'sealed' && onDone && <KitSeal username={username} madeOn={madeOn} onDone={onDone} />}
      {failure && <div className="kit-bar">{children}</div>}
    </section>
  )
}

function Steps({ now, hasSeal }: { now: Step; hasSeal: boolean }) {
  const steps = STEPS.filter((step) => hasSeal || step !== 'sealed')
  return (
    <ol className="kit-steps" aria-label="Steps of the kit">
      {steps.map((step, at) => {
        const isDone = now === 'sealed' || at < STEPS.indexOf(now)
        return (
          <li key={step} className={isDone ? 'done' : ''} aria-current={step === now ? 'step' : undefined}>
            {isDone ? <Check className="i i-14" aria-hidden /> : at + 1} {MARKS[step]}
            {isDone && <span className="sr">, done</span>}
          </li>
        )
      })}
    </ol>
  )
}
