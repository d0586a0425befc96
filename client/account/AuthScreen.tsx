import { KeyRound, LockKeyhole, PhoneOff, ShieldAlert } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { useState } from 'react'
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
  /** A form is on its way to the server. */
  onSubmit: () => void
}

export function AuthScreen({ notice, onSubmit }: Props) {
  const [step, setStep] = useState<SignInStep>({ step: 'done' })
  return (
    <div className="auth">
      <aside className="auth-side">
        <Brand />
        <h2>A room with a lock, and no spare key.</h2>
        <ul>
          <li>
            <KeyRound className="i" aria-hidden />
            Your keys are made on this device and stay with you.
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
        <main>
          {step.step === 'confirm_devices' && (
            <ConfirmDevices devices={step.devices} onCancel={() => setStep({ step: 'done' })} />
          )}
          {step.step === 'new_password' && <NewPassword onCancel={() => setStep({ step: 'done' })} />}
          {step.step === 'done' && <Forms notice={notice} onSubmit={onSubmit} onStep={setStep} />}
        </main>
      </div>
    </div>
  )
}

function Forms({ notice, onSubmit, onStep }: Props & { onStep: (step: SignInStep) => void }) {
  const [tab, setTab] = useState(notice ? 'signin' : 'signup')
  return (
    <Tabs.Root value={tab} onValueChange={setTab}>
      <h1>{tab === 'signup' ? 'Create your account' : 'Welcome back'}</h1>
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
