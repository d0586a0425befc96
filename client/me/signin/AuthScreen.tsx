import { Tabs } from 'radix-ui'
import { type ComponentType, useEffect, useRef, useState } from 'react'
import { later } from '../../ui/later.tsx'
import { useWindowNote } from '../../ui/useWindowNote.tsx'
import { AuthFrame } from './AuthFrame.tsx'
import { focusStep, isTouch } from './focusStep.ts'
import { SignIn } from './SignIn.tsx'
import { SignUp } from './SignUp.tsx'
import type { SignInStep } from './signin.ts'

const EndedNotice = later(async () => (await import('./EndedNotice.tsx')).EndedNotice)
const ConfirmDevices = later(async () => (await import('./ConfirmDevices.tsx')).ConfirmDevices)
const NewPassword = later(async () => (await import('./NewPassword.tsx')).NewPassword)
const RecoverAccount = later(async () => (await import('./RecoverAccount.tsx')).RecoverAccount)
const OpenKeys = later(async () => (await import('./OpenKeys.tsx')).OpenKeys)

/** The step on screen. `forgot` is the sign-in by recovery kit. */
type Shown = SignInStep | { step: 'forgot' }

interface Props {
  /** Reason why the person has to sign in again. */
  notice: string | null
  /** True if somebody was signed in on this page before. */
  isReturning: boolean
  /** What stands above the forms where the address invites, and may know a username. */
  Invitation?: ComponentType<{ onUsername: (username: string) => void }> | undefined
  /** Called when a form is sent to the server. */
  onSubmit: () => void
}

export function AuthScreen({ notice, isReturning, Invitation, onSubmit }: Props) {
  const main = useRef<HTMLElement>(null)
  const [step, setStep] = useState<Shown>({ step: 'done' })
  const [username, setUsername] = useState('')
  const [tab, setTab] = useState(notice || isReturning ? 'signin' : 'signup')
  const shown = useRef(step.step)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, in the place of the screen that has just ended
  useEffect(() => {
    const field = main.current?.querySelector<HTMLElement>('[role="tabpanel"]:not([hidden]) input')
    if (!isTouch()) field?.focus()
    else if (notice || isReturning) main.current?.querySelector('h1')?.focus()
  }, [])
  useEffect(() => {
    if (shown.current === step.step) return
    shown.current = step.step
    focusStep(main.current)
  }, [step.step])
  return (
    <AuthFrame mainRef={main} hasHome={step.step === 'done' || step.step === 'forgot'}>
      {step.step === 'confirm_devices' && <ConfirmDevices devices={step.devices} onCancel={() => setStep({ step: 'done' })} />}
      {step.step === 'open_keys' && (
        <OpenKeys
          ways={step.ways}
          isPasswordEntered={step.isPasswordEntered}
          onStep={setStep}
          onCancel={() => setStep({ step: 'done' })}
        />
      )}
      {step.step === 'forgot' && (
        <RecoverAccount
          username={username.trim()}
          onCancel={(typed) => {
            setUsername(typed)
            setTab('signin')
            setStep({ step: 'done' })
          }}
        />
      )}
      {step.step === 'new_password' && <NewPassword onCancel={() => setStep({ step: 'done' })} />}
      {step.step === 'done' && (
        <Forms {...{ tab, notice, Invitation, username, onSubmit }} onTab={setTab} onUsername={setUsername} onStep={setStep} />
      )}
    </AuthFrame>
  )
}

interface FormsProps {
  tab: string
  notice: string | null
  Invitation: Props['Invitation']
  username: string
  onUsername: (username: string) => void
  onTab: (tab: string) => void
  onSubmit: () => void
  onStep: (step: Shown) => void
}

function Forms({ tab, notice, Invitation, username, onUsername, onTab, onSubmit, onStep }: FormsProps) {
  const windowNote = useWindowNote(globalThis.early?.goesWithout)
  const [preferred, setPreferred] = useState('')
  return (
    <Tabs.Root value={tab} onValueChange={onTab}>
      <h1 tabIndex={-1}>{tab === 'signup' ? 'Create your account' : notice ? 'Sign in' : 'Welcome back'}</h1>
      <Tabs.List className="seg" aria-label="Sign up or sign in">
        <Tabs.Trigger value="signup">Sign Up</Tabs.Trigger>
        <Tabs.Trigger value="signin">Sign In</Tabs.Trigger>
      </Tabs.List>
      {Invitation && <Invitation onUsername={setPreferred} />}
      {notice && <EndedNotice words={notice} />}
      <Tabs.Content value="signup" tabIndex={-1}>
        <SignUp preferred={preferred} onSubmit={onSubmit} />
      </Tabs.Content>
      <Tabs.Content value="signin" tabIndex={-1}>
        <SignIn {...{ username, onUsername, onSubmit, onStep }} onForgot={() => onStep({ step: 'forgot' })} />
      </Tabs.Content>
      {windowNote}
    </Tabs.Root>
  )
}
