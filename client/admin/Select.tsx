import { ChevronDown } from 'lucide-react'

interface Props<Value extends string> {
  label: string
  value: Value
  options: readonly (readonly [Value, string])[]
  isDisabled?: boolean
  onChange: (value: Value) => void
}

/** A choice of one of a few. */
export function Select<Value extends string>({ label, value, options, isDisabled = false, onChange }: Props<Value>) {
  return (
    <span className="sel">
      <select
        aria-label={label}
        value={value}
        disabled={isDisabled}
        onChange={(event) => {
          const chosen = options.find(([one]) => one === event.target.value)
          if (chosen) onChange(chosen[0])
        }}
      >
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
      <ChevronDown className="i i-14" aria-hidden />
    </span>
  )
}
