import { KeyRound, LockKeyhole, PhoneOff, ShieldAlert } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { useEffect, useRef, useState } from 'react'
import { Brand } from '../ui/Mark.tsx'
import { Note } from '../ui/Note.tsx'
import type { SignInStep } from './account.ts'
import './auth.css'
import { ConfirmDevices } from './ConfirmDevices.tsx'
import { NewPassword } from './NewPassword.tsx'
import { SignIn } from './SignIn.tsx'
import { SignUp } from './SignUp.tsx'

interface Props {
  /** Why the person has to sign in again. */
  notice: string | null
  /** Somebody was signed in on this page before. */
  isReturning: boolean
  /** A form is on its way to the server. */
  onSubmit: () => void
}

export function AuthScreen({ notice, isReturning, onSubmit }: Props) {
  const main = useRef<HTMLElement>(null)
  const [step, setStep] = useState<SignInStep>({ step: 'done' })
  const [tab, setTab] = useState(notice || isReturning ? 'signin' : 'signup')
  const shown = useRef(step.step)
  useEffect(() => {
    if (shown.current === step.step) return
    shown.current = step.step
    main.current?.querySelector('h1')?.focus()
  }, [step.step])
  return (
    <div className="auth">
      <aside className="auth-side">
        <Brand />
        <h2>A room with a lock, and no spare key.</h2>
        <ul>
          <li>
            <KeyRound className="i" aria-hidden />
            Your keys are made on this device. The server keeps them sealed under your password.
          </li>
          <li>
            <PhoneOff className="i" aria-hidden />
            No phone number. No email needed.
          </li>
          <li>
            <LockKeyhole className="i" aria-hidden />
            Your password also seals your keys. Nobody can reset it for you, not even we.
          </li>
        </ul>
      </aside>
      <div className="auth-form">
        <div className="auth-bar">
          <Brand />
        </div>
        <main ref={main}>
          {step.step === 'confirm_devices' && (
            <ConfirmDevices devices={step.devices} onCancel={() => setStep({ step: 'done' })} />
          )}
          {step.step === 'new_password' && <NewPassword onCancel={() => setStep({ step: 'done' })} />}
          {step.step === 'done' && <Forms tab={tab} onTab={setTab} notice={notice} onSubmit={onSubmit} onStep={setStep} />}
        </main>
      </div>
    </div>
  )
}

interface FormsProps {
  tab: string
  notice: string | null
  onTab: (tab: string) => void
  onSubmit: () => void
  onStep: (step: SignInStep) => void
}

function Forms({ tab, notice, onTab, onSubmit, onStep }: FormsProps) {
  return (
    <Tabs.Root value={tab} onValueChange={onTab}>
      <h1 tabIndex={-1}>{tab === 'signup' ? 'Create your account' : 'Welcome back'}</h1>
      <Tabs.List className="seg" aria-label="Sign up or sign in">
        <Tabs.Trigger value="signup">Sign Up</Tabs.Trigger>
        <Tabs.Trigger value="signin">Sign In</Tabs.Trigger>
      </Tabs.List>
      {notice && (
        <Note icon={ShieldAlert} role="status">
          {notice}
        </Note>
      )}
      <Tabs.Content value="signup" tabIndex={-1}>
        <SignUp onSubmit={onSubmit} />
      </Tabs.Content>
      <Tabs.Content value="signin" tabIndex={-1}>
        <SignIn onSubmit={onSubmit} onStep={onStep} />
      </Tabs.Content>
    </Tabs.Root>
  )
}
