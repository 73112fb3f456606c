;; A session of Emacs's dap-mode: emacs --batch --load session.el PAGE FILE. Prints a line for each step.
;; It is set up by the code that the page for editors tells people to write.
(package-initialize)

(defun configured-by (page)
  "Evaluates the code of PAGE, in Emacs Lisp, that configures dap-mode."
  (with-temp-buffer
    (insert-file-contents page)
    (search-forward "With dap-mode:")
    (re-search-forward "```elisp\n\\(\\(?:.\\|\n\\)*?\\)```")
    (car (read-from-string (concat "(progn " (match-string 1) ")")))))

(defvar stops 0)
(add-hook 'dap-stopped-hook (lambda (_session) (setq stops (1+ stops))))

(defun wait-until (ready what)
  "Waits until READY returns something; WHAT names it where it does not come."
  (let ((left 1200) found)
    (while (and (not (setq found (funcall ready))) (> (setq left (1- left)) 0))
      (accept-process-output nil 0.1))
    (or found (error "%s did not come" what))))

(defun frame-after (action)
  "Carries out ACTION; returns the line of the innermost frame after the stop that follows."
  (let ((before stops))
    (funcall action)
    (wait-until (lambda () (> stops before)) "a stop")
    (wait-until (lambda () (dap--debug-session-active-frame (dap--cur-session))) "a frame")
    (gethash "line" (dap--debug-session-active-frame (dap--cur-session)))))

(defun value-of (expression)
  "The result of EXPRESSION in the innermost frame."
  (let (answer)
    (dap--send-message
     (dap--make-request "evaluate"
                        (list :expression expression :context "watch"
                              :frameId (gethash "id" (dap--debug-session-active-frame (dap--cur-session)))))
     (lambda (response) (setq answer response))
     (dap--cur-session))
    (gethash "result" (gethash "body" (wait-until (lambda () answer) "a value")))))

(pcase-let ((`(,page ,file) command-line-args-left))
  (setq command-line-args-left nil)
  (find-file file)
  (fundamental-mode)
  (eval (configured-by page) t)
  (goto-char (point-min))
  (forward-line 26)
  (dap-breakpoint-add)
  (let ((template (cdr (assoc "kgrade" dap-debug-template-configurations))))
    (princ (format "breakpoint in line %d\n"
                   (frame-after (lambda () (dap-debug (append template '(:case "M=1,N=17,K=1" :seed 1))))))))
  (princ (format "start + k = %s\n" (value-of "start + k")))
  (princ (format "next: line %d\n" (frame-after (lambda () (dap-next (dap--cur-session))))))
  (princ (format "back: line %d\n" (frame-after #'kgrade-step-back)))
  (kill-emacs 0))
