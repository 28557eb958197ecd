; What the installer and the uninstaller do beside copying: the ownkey:// scheme, and taking everything back.

!macro customInstall
  WriteRegStr HKCU "Software\Classes\ownkey" "" "URL:Ownkey"
  WriteRegStr HKCU "Software\Classes\ownkey" "URL Protocol" ""
  WriteRegStr HKCU "Software\Classes\ownkey\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
!macroend

!macro customUnInstall
  ; An update runs this, too, and is not the end.
  ${ifNot} ${isUpdated}
    ; Cursor's settings, the certificate and the start at login.
    ExecWait '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" --undo'
    DeleteRegKey HKCU "Software\Classes\ownkey"
    MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 \
      "Delete your channels, keys and conversations, too? They are in $LOCALAPPDATA\Ownkey and cannot be brought back." \
      /SD IDNO IDNO keep
    RMDir /r "$LOCALAPPDATA\Ownkey"
    keep:
  ${endIf}
!macroend
