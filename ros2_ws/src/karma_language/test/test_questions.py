# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import time
from datetime import datetime, timezone

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from karma_language.questions.questions import read_question, read_questions
from karma_language.reading import Kind, Question

NOW = datetime(2026, 5, 14, 15, 0, tzinfo=timezone.utc).timestamp()
WITH_DEED = (Kind.DID, Kind.WHEN, Kind.HOW_OFTEN, Kind.WHY, Kind.WHO)

# sentence | kind; thing; @relation place; =state; !deed; #time. "-" is no question.
SENTENCES = """
where are my keys? | where; keys
Where's the remote control? | where; remote control
where did I leave my phone | where; phone
where have you put the red mug? | where; red mug
where did you last see my laptop? | where; laptop
wheres the salt | where; salt
could you tell me where the remote is? | where; remote
do you know where my keys are? | where; keys
any idea where the newspaper is | where; newspaper
can you remember where I put the book? | where; book
the keys, where are they? | where; keys
my glasses - where did I leave them? | where; glasses
where is it, the remote? | where; remote
I can't find my wallet, have you seen it? | where; wallet
have you seen my watch anywhere? | where; watch
in which drawer are the forks | where; forks
which room is the sofa in? | where; sofa
which cabinet did you put the plates in? | where; plates
on what shelf is the vase? | where; vase
what's the location of the vacuum cleaner? | where; vacuum cleaner
where was the mug before lunch? | where; mug; #before lunch
where did you find the mug? | where; mug; #before
where did you take the mug from? | where; mug; #before
where can you find the mug? | where; mug
where was the mug at half past eight? | where; mug; #at half past eight
where was the mug two hours ago | where; mug; #two hours ago
where was the mug on Monday? | where; mug; #on monday
where can I find a clean towel | where; clean towel
where do the pans go? | where; pans
where are scissors? | where; scissors
is there such a thing as a vase here? | exists; vase
is there a lamp in here? | exists; lamp
I have no idea where the key is. | where; key
is it true that there is a mug on the table? | exists; mug; @on table
is it dark in the bedroom? | told
are there any mugs that aren't in the kitchen? | told
that mug isn't on the sofa, is it? | exists; mug; @on sofa
is it in the bedroom? | exists; it; @in bedroom
which room has no lamp? | told
where would you look for scissors? | where; scissors
where do we keep the candles? | where; candles
where did the cat's bowl end up? | where; bowl
please tell me where I can find a pen | where; pen
hey, where's Tom's phone? | where; phone
do you see the statue? | where; statue
can you create a calming setup in my office? | -
what rules are there? | about; rules
what did Bob ask you for? | did
did Bob ask you to bring the apple? | did; apple
what did I forbid you? | about; rules
what are you not allowed to do? | about; rules
when did you last see the apple? | when; apple; !see
when was the last time you saw my watch? | when; watch; !see
when did you first see the vase | when; vase; !see; ^first
when did you wash the mug? | when; mug; !wash
when was the fridge last opened? | when; fridge; !open
at what time did you water the house plant? | when; house plant; !water
how long ago did you clean the bathtub? | when; bathtub; !clean
tell me when you last turned on the stove | when; stove; !turn on
when did somebody move the chair? | when; chair; !move
when was the bread put in the fridge | when; bread; @in fridge; !put
is the stove on? | state; stove; =on
is the TV still running? | state; tv; =on
did I leave the fridge open? | state; fridge; =open
did someone leave the lights on? | state; lights; =on
have I turned off the stove? | state; stove; =off
is the mug that is on the table clean? | state; mug; @on table; =clean
are all the lights off upstairs? | state; lights; @in upstairs; =off
are the lights on the ground floor off? | state; lights; @on ground floor; =off
is the lamp in the bedroom on or off? | state; lamp; @in bedroom; =on
isn't the window closed? | state; window; =closed
are the plates dirty? | state; plates; =dirty
is my cup empty yet? | state; cup; =empty
has the potato been cooked already? | state; potato; =cooked
was the vase broken yesterday? | state; vase; =broken; #yesterday
can you check whether the stove is off? | state; stove; =off
do you know if the microwave is open | state; microwave; =open
the oven is off? | state; oven; =off
the lamp in the hallway, is that on? | state; lamp; @in hallway; =on
those boxes on the shelf, are they empty? | state; boxes; @on shelf; =empty
is the oven off, in case the fire brigade asks? | state; oven; =off
you closed the window afterwards, I trust? | did; window; !close
did you lock the drawer behind you? | did; drawer; !lock
how many candles did you switch off? | count; candles; =off
what did Karin have you do in the cellar? | did; @in cellar
was it Joris who moved the vase? | told
who was it that moved the vase? | who; vase; !move
have we any cheese, or did Rosa finish it? | exists; cheese
where did you get this from, the shelf? | where; this; #before
what did you do with the towel before? | did; towel
I was wondering if the toilet is clean | state; toilet; =clean
is the fridge door closed? | state; fridge; =closed
is the bread sliced | state; bread; =sliced
is the pot full or empty? | state; pot; =full
what's on the kitchen table? | contents; @on kitchen table
whats next to the sofa | contents; @near sofa
what was on the table this morning | contents; @on table; #this morning
what is in the fridge right now | contents; @in fridge; #right now
what do we have in the fridge? | contents; @in fridge
what's lying under the bed? | contents; @under bed
what else is in that drawer? | contents; @in drawer
tell me what is behind the sofa | contents; @behind sofa
is there anything on the sofa | contents; @on sofa
was there anything in the sink last night? | contents; @in sink; #last night
anything left in the fridge? | contents; @in fridge
what does the drawer contain? | contents; @in drawer
what can you see on the desk? | contents; @on desk
what do you see here? | contents
what is downstairs? | contents; @in downstairs
what is to the left of the toaster? | contents; @left_of toaster
what rooms are there? | count; rooms
what's inside the safe? | contents; @in safe
what is in it? | contents; @in it
what did you find in the cabinet? | contents; @in cabinet
how many chairs are there? | count; chairs
how many apples do we have? | count; apples
how many eggs are left in the fridge? | count; eggs; @in fridge
how many plates are on the dining table? | count; plates; @on dining table
how many rooms does this flat have | count; rooms
do I have any eggs, and if so how many? | count; eggs
how many of the mugs are dirty? | count; mugs; =dirty
how many towels did you see in the bathroom? | count; towels; @in bathroom
can you tell me how many forks there are? | count; forks
how many windows are open? | count; windows; =open
how many lamps have we got upstairs? | count; lamps; @in upstairs
how much bread is left? | count; bread
how many candles were on the shelf yesterday? | count; candles; @on shelf; #yesterday
are there two plates on the table? | exists; plates; @on table
is there any bread left? | exists; bread
do we have milk? | exists; milk
have we got any sugar left? | exists; sugar
is there a knife in the sink? | exists; knife; @in sink
any eggs left? | exists; eggs
is my phone still on the desk? | exists; phone; @on desk
is the laptop in the bedroom or not? | exists; laptop; @in bedroom
was the newspaper on the sofa this morning? | exists; newspaper; @on sofa; #this morning
are my shoes under the bed? | exists; shoes; @under bed
does the fridge contain any tomatoes? | exists; tomatoes; @in fridge
do you know whether there's toilet paper in the bathroom? | exists; toilet paper; @in bathroom
are there still towels upstairs? | exists; towels; @in upstairs
is the plunger here? | exists; plunger
do you see any cups on the counter? | exists; cups; @on counter
which of the mugs is dirty | which; mugs; =dirty
which mug is clean? | which; mug; =clean
which window is open? | which; window; =open
which lights are still on | which; lights; =on
which one is broken? | which; one; =broken
which books are on the shelf? | which; books; @on shelf
which of the lamps was on last night? | which; lamps; =on; #last night
did anything change since yesterday? | changed; #since yesterday
what has changed in the kitchen? | changed; @in kitchen
has anybody moved my laptop? | changed; laptop
has the chair been moved? | changed; chair
what happened to the vase? | changed; vase
is anything missing? | changed
what's different today? | changed; #today
anything new in the living room? | changed; @in living room
what have you done today? | did; #today
what did you do with the knife? | did; knife
did you already wash the apple? | did; apple; !wash
have you watered the house plant? | did; house plant; !water
did you put the mug in the sink? | did; mug; @in sink; !put
what are you doing? | did
haven't you emptied the garbage can yet? | did; garbage can; !empty
did you turn off the stove? | did; stove; !turn off
did you turn the lamp on? | did; lamp; !turn on
what were you up to this afternoon? | did; #this afternoon
how often did you wash the mug this week? | how_often; mug; !wash; #this week
how many times was the fridge opened today? | how_often; fridge; !open; #today
how long has the fridge been open? | how_long; fridge; =open
how long was the laptop on the bed | how_long; laptop; @on bed
since when is the tv on? | how_long; tv; =on
for how long has the mug been dirty? | how_long; mug; =dirty
why did you do that? | why
why couldn't you bring it? | why; it; !bring; ^undone
why didn't you wash the plate? | why; plate; !wash; ^undone
why? | why
how come you put the bowl in the fridge? | why; bowl; @in fridge; !put
where is the faucet that is on? | which; faucet; =on
tell me when you last saw the pen | when; pen; !see
could you tell me when you last noticed the mug, please? | when; mug; !see
the bathroom looks odd to me, what was moved? | changed; bathroom
what has changed since two hours ago? | changed; #since two hours ago
what went wrong? | why; ^undone
why is the fridge open? | why; fridge; =open
what are you holding? | holding
are you carrying anything? | holding
is the mug in your hand? | holding; mug
where are you? | robot
are you in the kitchen? | robot; @in kitchen
what can you do? | able
how can you help me? | able
are you able to slice bread? | able
how do I get from the kitchen to the bedroom? | route; bedroom; @on kitchen
how big is the kitchen? | size; kitchen
which room is the biggest? | size; room
what do you know about the statue? | about; statue
tell me about the vase | about; vase
who moved the mug? | who; mug; !move
who has eaten the bread? | who; bread; !eat
who left the window open? | who; window; =open; !open
what did I ask you to do this morning? | asked; #this morning
what's left to do? | asked; ^undone
what haven't you done yet? | asked; ^undone
did you look in the drawer? | looked; @in drawer
which rooms have you searched? | looked
have you checked under the sofa? | looked; @under sofa
where did you look? | looked
what happened last night? | happened; #last night
did anything happen while I was away? | happened; #while i was away
is anyone in the bathroom? | told
what is my dentist's name? | told
how do I like my tea? | told
who lives in Porto? | told
when is my mother's birthday? | told
whose phone is it? | who; phone; !own
am I allergic to nuts? | told
what time is it? | clock
Who is it that's coming, now? | told; #now
how are you? | -
what colour is love? | told
who is Lea? | told
when does Lea's school start? | told
what do I have to do today? | told; #today
what did I tell you about my mother? | about; mother
does Tom like coffee? | told
where does my brother live? | told
what is your favourite colour? | told
how old is the universe? | told
is it raining? | told
why is the sky blue? | told
bring me an apple | -
can you bring me an apple? | -
could you turn on the light | -
will you wash the mug? | -
would you mind opening the window? | -
the apple is on the bed | -
I like tea | -
can I have some water? | -
do the dishes | -
have a look in the fridge and bring me milk | -
when you see an apple, bring it to me | -
don't touch the knife | -
I moved the laptop to the sofa | -
where the mug was, put the plate | -
find my keys | -
thanks! | -
my keys are always on the side table | -
what a lovely day | -
why don't you bring me an apple? | -
would you please put it back where it was? | -
if the tv is on, turn it off | -
where's my other shoe? | where; shoe
did you happen to see where my wife put the scissors? | where; scissors
where exactly is the pepper shaker? | where; pepper shaker
have you noticed my credit card lying around? | where; credit card
can you tell me which room the laptop is in? | where; laptop
where did the teddy bear go? | where; teddy bear
do you remember where I left my book last night? | where; book; #last night
in which room did you see the pillow? | where; pillow
where's the nearest garbage can? | where; nearest garbage can
my watch, have you seen it? | where; watch
where was the blue bowl yesterday at noon | where; blue bowl; #yesterday at noon
so where are the clean plates now? | where; clean plates; #now
is the coffee machine switched off? | state; coffee machine; =off
are the blinds in the bedroom closed? | state; blinds; @in bedroom; =closed
did my brother leave the TV on? | state; tv; =on
did anyone forget to turn off the lights? | state; lights; =off
is the sink full of dirty dishes? | state; sink; =full
was the door of the microwave open an hour ago? | state; microwave; =open; #an hour ago
is any window still open upstairs? | state; window; @in upstairs; =open
are my glasses broken? | state; glasses; =broken
what is there on the shelf? | contents; @on shelf
is something under the sofa? | contents; @under sofa
what's sitting on the counter next to the sink? | contents; @on counter
tell me what you can see in the bathroom | contents; @in bathroom
what fruit is in the bowl? | contents; fruit; @in bowl
what did you see in the living room yesterday? | happened; @in living room; #yesterday
which things are on my desk? | contents; @on desk
how many beds do you know of? | count; beds
how many people live here? | told
how many red apples are there in the bowl on the table? | count; red apples; @in bowl
do you know how many spoons are in the drawer? | count; spoons; @in drawer
how many eggs did we have on Sunday? | count; eggs; #on sunday
is there any coffee left in the kitchen? | exists; coffee; @in kitchen
do you have a screwdriver? | exists; screwdriver
was there a vase on the table on Tuesday? | exists; vase; @on table; #on tuesday
is the cat in the bedroom? | exists; cat; @in bedroom
what was moved while I was at work? | changed; #while i was at work
has the living room changed since Friday? | changed; living room; #since friday
did someone take my wallet? | changed; wallet
what have you been doing all morning? | did; #all morning
did you take out the trash? | did; trash; !take out
did you throw away the newspaper yesterday? | did; newspaper; !throw away; #yesterday
have you finished cleaning the kitchen? | looked; kitchen
when did you take the pan off the stove? | when; pan; @on stove; !take off
when was the sofa moved? | when; sofa; !move
when did I last open the safe? | when; safe; !open
how often have you cleaned the bathroom this month? | how_often; bathroom; !clean; #this month
how long have the lights been on? | how_long; lights; =on
how long has the phone been lying on the bed? | how_long; phone; @on bed
why is the microwave open? | why; microwave; =open
why did you fail to bring me the cup? | why; cup; !bring; ^undone
why haven't you watered the plants yet? | why; plants; ^undone
what's that in your gripper? | holding
what room are you in right now? | robot; #right now
which skills do you have? | able
how can I get upstairs from here? | route; upstairs
which is the smallest room? | size; room
who put the cup on the bed? | who; cup; @on bed; !put
what did I tell you to do yesterday? | asked; #yesterday
is there anything left to do? | asked; ^undone
have you looked behind the curtains? | looked; @behind curtains
what happened in the kitchen this afternoon? | happened; @in kitchen; #this afternoon
do I like sugar in my coffee? | told
what's the wifi password? | told
who's my doctor? | told
when do I have to take my pills? | told
does my daughter eat fish? | told
what is the capital of France? | told
how much does the laptop cost? | told
is Tom home? | told
should I take an umbrella? | told
could you please hand me the remote | -
would you kindly wash the plates? | -
may I have the blue cup? | -
the fridge is empty | -
where I come from we drink tea | -
I wonder about life | told
the lights are off upstairs | -
do the laundry, please | -
have the table ready by noon | -
yes, the one on the desk | -
let me know when the toast is ready | -
turn the lamp on if it's dark | -
whereabouts is the ladle? | where; ladle
have you any clue where Lea's backpack is? | where; backpack
where on earth is my pen? | where; pen
where was the cup the last time you saw it? | where; cup
where do you think my book is? | where; book
which shelf are the candles on? | where; candles
did you find my credit card? | where; credit card
I'm looking for the tape, have you seen it anywhere? | where; tape
remind me where the plunger is kept | where; plunger
where are the two blue plates? | where; blue plates
where had I put the watch before dinner yesterday? | where; watch; #yesterday
where on earth had he put it? | told
how long can we keep the laptop? | told
for how long may we keep the laptop? | told
where is the mug I had? | where; mug
how long has the laptop been on the desk? | how_long; laptop; @on desk
is the desk lamp off now? | state; desk lamp; =off; #now
did I switch the coffee machine off? | state; coffee machine; =off
are any of the windows open? | state; windows; =open
has the sink been cleaned today? | state; sink; =clean; #today
is the laptop turned on? | state; laptop; =on
is the tap in the bathroom still running? | state; tap; @in bathroom; =on
would you know if the safe is locked? | state; safe; =closed
was the toaster on at seven this morning? | state; toaster; =on; #at seven this morning
are the cups clean or dirty? | state; cups; =clean
what do you see on the coffee table? | contents; @on coffee table
what have I got in the fridge? | contents; @in fridge
is there something behind the tv? | contents; @behind tv
what was under the bed on Sunday? | contents; @under bed; #on sunday
what's in front of the sofa? | contents; @in_front_of sofa
do you know what's in the top drawer? | contents; @in top drawer
can you tell me what is upstairs? | contents; @in upstairs
how many knives do I own? | count; knives
what's the number of chairs in the kitchen? | count; chairs; @in kitchen
how many books are there on the shelf in the bedroom? | count; books; @on shelf
how many pillows are lying on the sofa? | count; pillows; @on sofa
any idea how many tomatoes we still have? | count; tomatoes
are there any clean cups? | exists; clean cups
have we any butter left? | exists; butter
is the spatula in the sink? | exists; spatula; @in sink
is there a pan on the stove right now? | exists; pan; @on stove; #right now
was there milk in the fridge this morning? | exists; milk; @in fridge; #this morning
does this house have a basement? | exists; basement
which chairs are broken? | which; chairs; =broken
which of the drawers was left open? | which; drawers; =open
which cup is mine? | where; cup
has anything been moved in the bedroom since this morning? | changed; @in bedroom; #since this morning
what changed while I was out? | changed; #while i was out
who has been using my laptop? | who; laptop; !use
who turned off the heater? | who; heater; =off; !turn off
did you wipe the counter? | did; counter; !wipe
have you brought Tom his book? | did; book; !bring
did you close the curtains last night? | did; curtains; !close; #last night
what did you do in the kitchen this morning? | did; @in kitchen; #this morning
when did you put the egg in the microwave? | when; egg; @in microwave; !put
when was the tv switched off? | when; tv; !switch off
how many times did you open the safe last week? | how_often; safe; !open; #last week
how long was the stove on yesterday? | how_long; stove; =on; #yesterday
why did you turn the light off? | why; light; !turn off
why wasn't the mug washed? | why; mug; =clean; ^undone
what's that you're carrying? | holding
do you have anything in your hand? | holding
where are you right now? | robot; #right now
can you climb stairs? | -
what are you able to do? | able
what's the quickest way to the bathroom? | route; bathroom
how tall is the fridge? | size; fridge
have you checked whether the keys are in the drawer? | exists; keys; @in drawer
did you look everywhere? | looked
what happened yesterday between 2 and 4? | happened; #yesterday between 2 and 4
what's my sister called? | told
does anyone here have a nut allergy? | told
how many sugars do I take? | told
when do we usually eat dinner? | told
is Lea at school? | told
what's for dinner? | told
why do cats purr? | told
are you happy? | told
which wine do I prefer? | told
get me my glasses, would you? | -
the bread is where it always is | -
you forgot the knife | -
can you put the book where it belongs? | -
what I want is a cup of tea | -
my phone's on the sofa | -
is it okay if you clean the bathroom? | told
no, the other one | -
where has the kettle gone | where; kettle
hey robot where'd you put my glasses | where; glasses
tell me where you saw the newspaper last | where; newspaper
where would i find the dish sponge | where; dish sponge
has anyone seen the tv remote | where; tv remote
which drawer did i leave the scissors in | where; scissors
where was the teddy bear on saturday evening | where; teddy bear; #on saturday evening
do you know in which cabinet the pots are | where; pots
are the keys not on the hook anymore | exists; keys; @on hook
is it still on the bed | exists; it; @on bed
is my mug in the sink or on the counter | where; mug
is there a spare towel in the bathroom cabinet | exists; spare towel; @in bathroom cabinet
do we still have any apples in the fridge | exists; apples; @in fridge
is there a free chair in the kitchen | exists; free chair; @in kitchen
have we got a ladle | exists; ladle
tell me if there are any lemons left | exists; lemons
could you check if there is bread on the counter | exists; bread; @on counter
how many plates do we have altogether | count; plates
how many of my books are in the bedroom | count; books; @in bedroom
how many doors are open right now | count; doors; =open; #right now
how many eggs were there yesterday morning | count; eggs; #yesterday morning
is the bedroom light on | state; bedroom light; =on
are you sure the stove is off | state; stove; =off
did i lock the safe | state; safe; =closed
has the potato been sliced | state; potato; =sliced
is the coffee still hot | state; coffee; =hot
is the knife next to the sink dirty | state; knife; @near sink; =dirty
is the laundry basket full | state; laundry basket; =full
was the lamp in the living room on at midnight | state; lamp; @in living room; =on; #at midnight
were the curtains open when i left | state; curtains; =open; #when i left
did you leave the microwave open | state; microwave; =open
what stuff is on the nightstand | contents; @on nightstand
what do i have in my drawer | contents; @in drawer
whats behind the tv stand | contents; @behind tv stand
is anything on the stove | contents; @on stove
what did the table have on it this morning | contents; @on table; #this morning
which of the windows are closed | which; windows; =closed
which cups are in the sink | which; cups; @in sink
which lamp did you turn off | did; lamp; !turn off
what's changed since i went out | changed; #since i went out
is there anything new on the table | changed; @on table
did the vase move | changed; vase
did anybody touch my papers | changed; papers
what jobs have you finished today | did; #today
have you fed the cat | did; cat; !feed
did you bring my mother the tea? | told
have you put away the dishes | did; dishes; !put away
did you manage to find the watch | where; watch
when did you last vacuum the bedroom | when; bedroom; !vacuum
when was the window opened this morning | when; window; !open; #this morning
when did the plate break | when; plate; !break
when did you go to the bathroom | when; bathroom; !go
how often was the tv turned on this week | how_often; tv; !turn on; #this week
how long has my phone been missing | how_long; phone
how long have the dishes been in the sink | how_long; dishes; @in sink
why is there a mug on the floor | why; mug; @on floor
why did you not close the fridge | why; fridge; !close; ^undone
how come the tv is on | why; tv; =on
what have you got in your hands | holding
which room are you in | robot
are you upstairs | robot; @in upstairs
what else can you do | able
how do i get to the living room | route; living room
which is bigger the kitchen or the bedroom | size; kitchen
what do you know about my lamp | about; lamp
who took the last apple | who; apple; !take
who closed the door | who; door; =closed; !close
what did i ask you for yesterday | asked; #yesterday
did you check the bedroom | looked; bedroom
what places have you looked at today | looked; #today
what happened here while we were away | happened; #while we were away
when is garbage day | told
what do i take in my coffee | told
who is coming to dinner | told
what's the name of my cat | told
where was i born | told
does lea have school tomorrow | told; #tomorrow
can you please turn it off | -
put the mug where the plate was | -
i think the stove is on | -
remember where i put my keys | -
don't forget the milk | -
there is milk in the fridge | -
would you like some tea | -
Where's the butter knife got to? | where; butter knife
Sorry, where did you say my wallet was? | where; wallet
Did you see where the statue went? | where; statue
Where do the clean towels belong? | where; clean towels
In what cupboard is the salt? | where; salt
The laptop, where was it this morning? | where; laptop; #this morning
Where was my phone before 9 o'clock? | where; phone; #before 9 o'clock
Where are all the cups hiding? | where; cups
Is the floor lamp lit? | state; floor lamp; =on
Did Tom leave the shower door open? | state; shower door; =open
Is the bathtub filled? | state; bathtub; =full
Was the lamp upstairs off last night? | state; lamp; @in upstairs; =off; #last night
Aren't the plates washed yet? | state; plates; =clean
Is every drawer shut? | state; drawer; =closed
Are the bread and the tomato sliced? | state; tomato; =sliced
What do you find on the dresser? | contents; @on dresser
What's hidden under the pillow? | contents; @under pillow
What was next to the vase on Friday? | contents; @near vase; #on friday
What have we got in the freezer? | contents; @in freezer
Is there anything in front of the tv? | contents; @in_front_of tv
How many cups are on the shelf at the moment? | count; cups; @on shelf; #at the moment
How many of the lights are still on downstairs? | count; lights; @in downstairs; =on
How many mugs can you see? | count; mugs
Have I got any clean spoons? | exists; clean spoons
Any soap left in the bathroom? | exists; soap; @in bathroom
Is the alarm clock on the nightstand? | exists; alarm clock; @on nightstand
Do we own a tennis racket? | exists; tennis racket
Are there any pencils on my desk? | exists; pencils; @on desk
Which pans are dirty? | which; pans; =dirty
Which plants are in the bedroom? | which; plants; @in bedroom
Has someone moved the armchair since yesterday? | changed; armchair; #since yesterday
Is anything different in here? | changed
What happened to my bread? | changed; bread
What did you do with the box? | did; box
Did you fill the pot? | did; pot; !fill
Did you pick up the newspaper this morning? | did; newspaper; !pick up; #this morning
Have you already sliced the tomato? | did; tomato; !slice
Did you drop the egg? | did; egg; !drop
When did you last charge the phone? | when; phone; !charge
When did Tom take the kettle? | told
How long ago was the vase broken? | when; vase; !break
How often do you clean the toilet? | how_often; toilet; !clean
How long has the bathroom light been on? | how_long; bathroom light; =on
Why didn't you answer me? | why; ^undone
Why is the chair in the kitchen? | why; chair; @in kitchen
What is it that you are holding? | holding
Are you in the bedroom now? | robot; @in bedroom; #now
How would I get to the bathroom from the bedroom? | route; bathroom; @on bedroom
Who broke the vase? | who; vase; =broken; !break
Who did you give the mug to? | told
What did my wife ask you to do? | asked
Did you check inside the fridge? | looked; @in fridge
Did anything happen last night? | happened; #last night
What's my favourite tea? | told
When's my dentist appointment? | told
Who is allowed in my room? | told
Do you like music? | told
Does the cat need food? | told
What does my son study? | told
Which day is bin day? | told
Grab me a towel. | -
Is it possible for you to open the window? | told
Could we have the lights on? | -
That mug is dirty. | -
If the door is open, close it. | -
put the mug next to the sink | -
can you check on the roast and bring me the pan | -
can you prepare my breakfast on the kitchen table? | -
could you organize the books on the shelf? | -
could you please tell Tom that dinner is ready | -
tell me a joke | -
show me the mug | -
do you mind closing the door? | told
have the robot bring me tea | -
have some tea | -
is that so | told
what I need is my phone | -
what a mess | -
when I say go, open the door | -
when you are done, wash the plate | -
where there is smoke there is fire | -
how nice of you | -
who cares | told
whoever moved my mug should put it back | -
which reminds me, bring the milk | -
I know where the keys are | -
I forgot where I put the keys | where; keys
I told you where the mug goes | -
the mug that is on the table is dirty | -
my keys were on the table this morning | -
it is in the fridge | -
they are in the sink | -
you are in the kitchen | -
you did it again | -
somebody left the fridge open | -
there are two eggs in the fridge | -
please check the stove | -
check the drawer and tell me what you find | -
look in the fridge | -
see if you can find my keys and bring them | -
would it be possible to get a coffee? | told
will you ever bring me the book | -
won't you sit down | -
can't you bring it to me? | -
could somebody bring me a towel? | -
are you kidding | told
the drawer has forks in it | -
any apple will do | -
anything is fine | -
do it again | -
do that | -
how about you bring me the towel | -
let me see what is in the fridge | -
go and see what is on the table | -
find out who moved the mug | who; mug; !move
which floor are you on? | robot
what did you just put away in there? | did; @in it; !put away
do we still have an apple lying around somewhere? | exists; apple
and where did the racket end up? | where; racket
when did you last see my guitar and where? | when; guitar; !see
what will you do in five minutes? | told
what do you know of happiness? | told
what did you leave undone? | asked; ^undone
the watch from the coffee table - is it still there? | exists; watch; @on coffee table
what about the kettle, you must have seen it by now | where; kettle; #now
hows the counter, what's on it? | contents; @on counter
is the bed free or is something on it? | contents; @on bed
how long... I mean, is it still on, the floor lamp? | state; floor lamp; =on
did you close the fridge? I hear it humming | did; fridge; !close
are there any boots around? where? | where; boots
do we still have eggs? how many? | count; eggs
how many are on the shelf? | count; them; @on shelf
what is it inside? | contents; @in it
which of our rooms has a bathtub? | where; bathtub
how many ladles have we got, it seems like a lot | count; ladles
what's on the dining table, tell me everything | contents; @on dining table
where did sam's phone lie before you moved it? | where; phone; #before you moved it
what were the last two things you washed? | did; !wash
did the plate end up on the table or the counter? | where; plate
who told you to put it there? | who; it; !ask
where did the spatula come from? | where; spatula; #before
who has a cold? | told
where is the book that you didn't move? | told
what have you got done for me up to now? | did
what room is the statue in, bedroom or living room? | where; statue
the lights are all off, aren't they? | state; lights; =off
my keys? | where; keys
is the mug dirty? then wash it | -
the plate from the sink, wash it and put it on the table | -
egg in the bowl, bowl in the microwave, don't start it | -
could you put the plate where the mug was? | -
where should I put the mug? | told
good gracious, my boy, how many forks are in the drawer? | count; forks; @in drawer
my neighbour rang, is the window open? | state; window; =open
hold on a second, where did the pillow go? | where; pillow
wait where are my boots | where; boots
the pillow under ... where is the newspaper? | where; newspaper
the towel is where exactly? | where; towel
in this flat there are how many beds? | count; beds
you have put the pen where? | where; pen
number of plates in the cabinet? | count; plates; @in cabinet
would you count the spoons for me? | count; spoons
contents of the microwave? | contents; @in microwave
what is the state of the fridge? | state; fridge
is it possible that the TV is on? | state; tv; =on
are the curtains up? | state; curtains; =open
is the lid of the laptop down? | state; laptop; =closed
what is the teddy bear sitting on? | where; teddy bear
what is the phone on? | where; phone
is there anything on the shelf besides the vase? | contents; @on shelf
those glasses of mine, where are they? | where; glasses
you closed the window, right? | did; window; !close
what did you bring to the bed? | did; @at bed; !bring
how many bedrooms does this house have? | count; bedrooms
how many eggs have we got left? | count; eggs
the scissors! where do I keep them? | where; scissors
what did you put on the desk? | did; @on desk; !put
would you mind telling me where the remote is? | where; remote
how many rolls of loo paper are we down to? | count; rolls of toilet paper
it's warm, wash the mug | -
the keys are on the table, put them away | -
knife still in the sink? | exists; knife; @in sink
pencils, how many | count; pencils
remote where | where; remote
Pot full or empty? | state; pot; =full
seen my keys? | where; keys
got any lettuce? | exists; lettuce
does anyone know where the remote is? | where; remote
I've gone to bed already, is the candle still burning out there? | state; candle; =on
If my brother is asking you, where is it? | where; it
hm how many desk lamps does that leave burning | count; desk lamps; =on
which light have we still got on? | which; light; =on
how many loo rolls have we got out? | count; toilet rolls
what's still on? | which; =on
is it nice and cold? | state; it; =cold
is any burner actually lit or is it all off | state; burner; =off
would there be a clean cup out somewhere? | exists; clean cup
when and where'd you last lay eyes on the ball? | where; ball
where'd it stand when you saw it last | where; it
how many vases remain on the shelves? | count; vases; @on shelves
what fruit have we got? | contents; fruit
black, no sugar, that's how I drink my coffee | -
A fresh roll for the holder, would you? | -
and the blue one? | -
Which laptop did Sam get? | told
which drawer has the most things in it? | told
which chair is nearest to the fridge? | told
what did you get done today? | did; #today
could you go over what you did today? | did; #today
what was in the bowl before? | contents; @in bowl; #before
how many times did you go to the bedroom? | how_often; bedroom; !go
when did you start? | told
is there still water in it? | state; it; =full
the cup isn't on the shelf, is it? | exists; cup; @on shelf
you moved the lamp, didn't you? | did; lamp; !move
I think the mug is dirty, isn't it? | state; mug; =dirty
what is there to eat? | contents; food
is the pan still out? | where; pan
is there any coffee in the mug? | state; mug; =full
is there milk in the fridge? | exists; milk; @in fridge
have I asked you for a laptop today? | did; laptop; #today
what have I asked you for today? | asked; #today
is there a book in the living room now? | exists; book; @in living room; #now
which room was the alarm clock in? | where; alarm clock; #before
which room did you get it from? | where; it; #before
where had the mug been hiding? | where; mug; #before
do you recall where the alarm clock used to stand? | where; alarm clock; #before
whose laptop is on the desk? | who; laptop; @on desk; !own
who does the mug on the table belong to? | who; mug; @on table; !own
is the laptop on the desk mine? | who; laptop; @on desk; !own
is it mine? | who; it; !own
whose idea was it? | who; it; !ask
which laptop is Tom's? | where; laptop
is there anything to eat in the kitchen? | exists; food; @in kitchen
is there something to read in the living room? | exists; reading material; @in living room
what is there to drink? | contents; drink
how many books are there in the whole house? | count; books
"""
TABLE = [tuple(part.strip() for part in line.split("|")) for line in SENTENCES.strip().splitlines()]


def read(text: str) -> Question | None:
    return read_question(text, NOW)


def parts(question: Question | None) -> str:
    if question is None:
        return "-"
    said = [question.kind.value]
    if question.kind is not Kind.TOLD:
        said += [question.thing.text] if question.thing else []
        said += [f"@{question.place.relation.value} {question.place.thing.text}"] if question.place else []
        said += [f"={question.state}"] if question.state else []
        said += [f"!{question.deed}"] if question.deed and question.kind in WITH_DEED else []
    said += [f"#{question.time.text}"] if question.time else []
    said += ["^first"] * question.first + ["^undone"] * question.undone
    return "; ".join(said).lower()


@pytest.mark.parametrize(("sentence", "expected"), TABLE)
def test_what_a_sentence_asks_for(sentence: str, expected: str) -> None:
    question = read(sentence)
    assert parts(question) == expected
    assert question is None or question.quote == sentence


@pytest.mark.parametrize(
    ("text", "quotes", "things"),
    [
        (
            "Where is the fork? And is the fridge open?",
            ["Where is the fork?", "And is the fridge open?"],
            ["fork", "fridge"],
        ),
        ("have we got both pepper and salt?", ["have we got both pepper and salt?"] * 2, ["pepper", "salt"]),
        ("where's the fork and where's the pan?", ["where's the fork", "where's the pan?"], ["fork", "pan"]),
        ("Where is the fork? And the pan?", ["Where is the fork?", "And the pan?"], ["fork", "pan"]),
        ("Is there any bread? How much?", ["Is there any bread? How much?"], ["bread"]),
        ("Where is the fork? Wash it.", [], []),
    ],
)
def test_several_questions_are_read_each(text: str, quotes: list[str], things: list[str]) -> None:
    found = read_questions(text, NOW)
    assert [one.quote for one in found] == quotes
    assert [one.thing.text for one in found if one.thing is not None] == things


def test_which_ones_are_those_of_the_state_that_was_asked_about() -> None:
    found = read_questions("Are any of the mugs dirty? Which ones?", NOW)
    assert [(one.kind, one.state) for one in found] == [(Kind.STATE, "dirty"), (Kind.WHICH, "dirty")]


def test_what_only_sounds_like_a_question_gives_way_to_the_one_behind_it() -> None:
    found = read_questions("I've asked you for a lot today, sorry. What's still left?", NOW)
    assert [(one.kind, one.undone) for one in found] == [(Kind.ASKED, True)]


def test_alternatives_are_no_yes_or_no_and_what_does_not_count_is_known() -> None:
    open_or_shut, besides = read("is the box open or shut?"), read("what is in the sink apart from the sponge?")
    assert open_or_shut is not None
    assert open_or_shut.either
    assert besides is not None
    assert besides.besides is not None
    assert besides.besides.text == "sponge"


@given(st.text(max_size=300))
@example("")
@example("\x00\x07\x1b[2J where is the mug?")
@example("where is <7>?")
@example("\u202eأين مفاتيحي؟")
@example("היכן המפתחות שלי?")
@example("at 99999999999999999999999999999999 hours ago?")
@settings(deadline=None)
def test_any_text_is_read_or_not_and_never_raises(text: str) -> None:
    question = read(text)
    assert question is None or question.quote == text


WORDS = sorted({word for sentence, _ in TABLE for word in sentence.split()})


@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
@settings(deadline=None)
def test_any_order_of_words_of_questions_is_read_or_not(text: str) -> None:
    question = read(text)
    assert question is None or question.quote == text


@pytest.mark.parametrize(
    "part",
    [
        "a",
        "a ",
        "where ",
        "the ",
        "is the mug on ",
        "on the table ",
        "<0>",
        "1",
        "ha'",
        ", and ",
        "?!",
        "\n",
        "between 8 ",
    ],
)
@pytest.mark.parametrize("start", ["", "where is ", "could you tell me "])
def test_a_long_text_takes_no_more_than_a_moment(start: str, part: str) -> None:
    text = (start + part * 20_000)[:20_000]
    begin = time.process_time()
    read(text)
    assert time.process_time() - begin < 1.0
