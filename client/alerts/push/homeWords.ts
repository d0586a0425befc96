export const HOME = {
  title: 'On an iPhone or iPad',
  text: 'Apple lets only apps on the Home Screen be told while they are closed. Conclave becomes one in a minute.',
  steps: [
    'Press Share, the square with an arrow, in Safari. Where it is not in sight, press the three dots first.',
    'Choose “Add to Home Screen”, leave “Open as Web App” on, and press Add.',
    'Open Conclave from the Home Screen and sign in there. To Apple it is a browser of its own, and so it gets keys of its own.',
    'Come back to this page there, and switch on “Notify me when Conclave is closed”.',
  ],
  version: 'It takes iOS or iPadOS 16.4 or newer.',
}
