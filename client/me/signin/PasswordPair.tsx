import { useEffect, useState } from 'react'
import { PasswordField } from '../../ui/Field.tsx'
import { later } from '../../ui/later.tsx'

// Nothing is measured before the first letter.
const PasswordMeter = later(async () => (await import('../../ui/PasswordMeter.tsx')).PasswordMeter)

export interface TwoPasswords {
  password: string
  confirmPassword: string
}

interface Props {
  value: TwoPasswords
  errors: Partial<Record<keyof TwoPasswords, string>>
  onValue: (pair: TwoPasswords) => void
  /** The person's own names, which make a password weak. */
  own: string[]
}

/** Two fields for a new password. */
export function PasswordPair({ value, errors, onValue, own }: Props) {
  const [isShown, setShown] = useState(false)
  useEffect(() => void PasswordMeter.preload(), [])
  const isSame = value.password === value.confirmPassword
  const [isLeft, setLeft] = useState(false)
  const isTold = errors.confirmPassword || (isLeft && value.confirmPassword)
  const repeatError = isTold && !isSame ? "Passwords don't match" : undefined
  return (
    <>
      <div className="two">
        <PasswordField
          label="Password"
          rule="6 to 100 characters"
          autoComplete="new-password"
          value={value.password}
          error={errors.password}
          isShown={isShown}
          onShow={setShown}
          eyeTab={-1}
          onValue={(password) => onValue({ ...value, password })}
        />
        <PasswordField
          label="Repeat password"
          autoComplete="new-password"
          value={value.confirmPassword}
          error={repeatError}
          isShown={isShown}
          onShow={setShown}
          onFocus={() => setLeft(false)}
          onBlur={() => setLeft(true)}
          onValue={(confirmPassword) => onValue({ ...value, confirmPassword })}
        />
      </div>
      {value.password && <PasswordMeter password={value.password} own={own} />}
    </>
  )
}
